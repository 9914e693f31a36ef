#include "rpc/wire_values.hpp"

namespace cellblock::rpc {

Json to_wire(const IsolationReport& report) {
  Json layers = Json::array();
  for (const auto& layer : report.layers) {
    layers.push_back({{"name", layer.name}, {"on", layer.on}, {"detail", layer.detail}});
  }
  return {{"level", report.level}, {"layers", std::move(layers)}};
}

Json to_wire(const std::vector<Variable>& variables) {
  Json list = Json::array();
  for (const auto& variable : variables) {
    list.push_back(
        {{"name", variable.name}, {"type", variable.type}, {"summary", variable.summary}});
  }
  return list;
}

Json to_wire(const std::vector<FileInfo>& files) {
  Json list = Json::array();
  for (const auto& file : files) {
    list.push_back({{"path", file.path}, {"size", file.size}, {"mime", file.mime}});
  }
  return list;
}

Json to_wire(const Completion& completion) {
  return {{"matches", completion.matches}, {"start", completion.start}, {"end", completion.end}};
}

Json to_wire(const Inspection& inspection) {
  return {{"found", inspection.found}, {"text", inspection.text}};
}

Json to_wire(const Completeness& completeness) {
  return {{"status", completeness.status}, {"indent", completeness.indent}};
}

Json to_wire(const OutputPage& page) {
  return {
      {"text", page.text}, {"next_offset", page.next_offset}, {"total_bytes", page.total_bytes}};
}

}  // namespace cellblock::rpc
