#include "cli/tool_schema_command.hpp"

#include <cstdio>

#include "cli/console.hpp"
#include "tool/definition.hpp"
#include "tool/description.hpp"

namespace cellblock::cli {

CLI::App* add_tool_schema_command(CLI::App& app, ToolSchemaFlags& flags) {
  auto* command = app.add_subcommand("tool-schema",
                                     "Print execute_python's definition for a model's interface");
  auto* format =
      command
          ->add_option("--format", flags.format,
                       "openai, anthropic, mcp, langchain, or json (everything that is known)")
          ->type_name("NAME")
          ->check(CLI::IsMember({"openai", "anthropic", "mcp", "langchain", "json"}));
  command->add_flag("--prompt", flags.prompt, "The words for a system message instead")
      ->excludes(format);
  add_engine_flags(*command, flags.engine, AuditDefault::nowhere);
  command->footer(
      "Made from the policy and from what is installed in the Python that sessions use: print it\n"
      "with the same flags as the server that will run the code.");
  return command;
}

int tool_schema(const ToolSchemaFlags& flags) {
  if (!flags.prompt && flags.format.empty()) {
    return misuse("Say what to print: --format openai|anthropic|mcp|langchain|json or --prompt.");
  }
  auto engine = start_engine(flags.engine, AuditDefault::nowhere);
  if (!engine) return misuse(engine.error().message);
  auto info = engine->executor->info(engine->policy);
  if (!info) return misuse(info.error().message);
  const tool::Facts facts{.engine = std::move(*info), .policy = std::move(engine->policy)};
  if (flags.prompt) {
    std::fputs(tool::system_prompt(facts).c_str(), stdout);
    return 0;
  }
  const auto definition = tool::definition(flags.format, facts);
  if (!definition) return misuse(definition.error().message);
  std::printf("%s\n",
              definition->dump(2, ' ', false, tool::Json::error_handler_t::replace).c_str());
  return 0;
}

}  // namespace cellblock::cli
