#include "mcp/refusal.hpp"

namespace cellblock::mcp {

std::string to_line(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Answer answer(const rpc::Json& id, const Refusal& refusal) {
  Json error{{"code", refusal.code}, {"message", refusal.message}};
  if (!refusal.data.is_null()) error["data"] = refusal.data;
  std::string text = R"({"jsonrpc":"2.0",)";
  if (!id.is_null()) text += "\"id\":" + rpc::to_text(id) + ",";
  return {refusal.kind, text + "\"error\":" + to_line(error) + "}"};
}

Answer answer(const rpc::Json& id, const Json& result) {
  return {Answer::Kind::result,
          R"({"jsonrpc":"2.0","id":)" + rpc::to_text(id) + ",\"result\":" + to_line(result) + "}"};
}

}  // namespace cellblock::mcp
