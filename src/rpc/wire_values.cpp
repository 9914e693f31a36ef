#include "rpc/wire_values.hpp"

#include "rpc/json_text.hpp"

namespace cellblock::rpc {
namespace {

template <class Value>
std::string object_with_list(std::string_view name, const std::vector<Value>& values) {
  std::string text = "{\"" + std::string(name) + "\":[";
  for (const auto& value : values) {
    if (!text.ends_with('[')) text += ',';
    text += value.to_json();
  }
  return text + "]}";
}

}  // namespace

std::string to_wire(const Completion& completion) {
  return to_text(
      {{"matches", completion.matches}, {"start", completion.start}, {"end", completion.end}});
}

std::string to_wire(const Inspection& inspection) {
  return to_text({{"found", inspection.found}, {"text", inspection.text}});
}

std::string to_wire(const Completeness& completeness) {
  return to_text({{"status", completeness.status}, {"indent", completeness.indent}});
}

std::string to_wire(const OutputPage& page) {
  return to_text(
      {{"text", page.text}, {"next_offset", page.next_offset}, {"total_bytes", page.total_bytes}});
}

std::string to_wire(const std::vector<Variable>& variables) {
  return object_with_list("variables", variables);
}

std::string to_wire(const std::vector<FileInfo>& files) { return object_with_list("files", files); }

}  // namespace cellblock::rpc
