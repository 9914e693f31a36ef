// Writes the fuzzer's seeds: every kind of frame as the peers send it, and streams that are cut
// off, oversized or broken in one place. Usage: make_frame_seeds FOLDER
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/frame.hpp"
#include "protocol/messages.hpp"

namespace {

using namespace cellblock;
using namespace cellblock::protocol;
using Json = nlohmann::json;

struct Seed {
  std::string name;
  std::string stream;
};

const Json kVariable = {{"name", "df"}, {"type", "DataFrame"}, {"summary", "DataFrame(1000, 12)"}};

const Json kExecuteReply = {
    {"status", "error"},
    {"cause", "exception"},
    {"exit_code", 1},
    {"interrupted", false},
    {"text", nullptr},
    {"error",
     {{"name", "KeyError"}, {"value", "'size'"}, {"traceback", "Traceback …"}, {"hint", "Did…"}}},
    {"variables", Json::array({kVariable})},
    {"changes",
     {{"added", Json::array({kVariable})},
      {"changed", Json::array({{{"name", "x"}, {"detail", "shape"}}})},
      {"removed", Json::array({{{"name", "y"}}})}}},
    {"threads", 2},
    {"cpu_us", 1234},
    {"max_rss_bytes", 1ULL << 27}};

std::vector<Seed> whole_frames() {
  const std::string_view png("\x89PNG\r\n\x1a\n");
  const std::vector<std::string_view> one_picture{png};
  const std::vector<std::string_view> three_parts{png, "", "%PDF-1.7"};
  const Json display = {{"is_main_result", true},
                        {"mime", {{"text/plain", "<Figure>"}, {"application/json", {1, 2.5}}}},
                        {"attachments", {"image/png"}},
                        {"chart", {{"type", "bar"}, {"title", "strikes"}}},
                        {"display_id", "a"},
                        {"operation", "update"}};
  const ZygoteReady ready{.python_version = "3.11.2",
                          .python_executable = "/usr/bin/python3",
                          .loaded = {{"numpy", "1.24.2"}},
                          .missing = {{"pandas", "not installed"}},
                          .helpers = {{.name = "f", .signature = "(x)", .doc = "Does it."}},
                          .installed = {"json", "numpy"},
                          .cages = true,
                          .cages_detail = ""};
  const SessionConfig config{
      .workspace = "/workspace", .env = {{"TZ", "UTC"}}, .allowed_imports = {"numpy"}};
  const ForkRequest fork{.mode = ForkMode::cage,
                         .cgroups = 4,
                         .limits = {.data_bytes = 1ULL << 29, .open_files = 256},
                         .workspace = {.bytes = 1ULL << 28},
                         .read_paths = {"/data"},
                         .cage = 3,
                         .joins_cage = true,
                         .switched_off = {"rlimits"},
                         .config = config.encode()};
  const SessionReady session{.layers = {{.name = "rlimits", .on = true, .detail = ""}}};
  return {
      {"zygote_ready", encode_frame(FrameType::zygote_ready, 0, ready.encode())},
      {"zygote_failed",
       encode_frame(FrameType::zygote_failed, 0, ZygoteFailed{.message = "No Python."}.encode())},
      {"fork_request", encode_frame(FrameType::fork_request, 7, fork.encode(), {}, 3)},
      {"fork_reply", encode_frame(FrameType::fork_reply, 7, ForkReply{}.encode(), {}, 2)},
      {"session_exited",
       encode_frame(FrameType::session_exited, 7,
                    SessionExited{.wait_status = 9, .cpu_us = 5, .max_rss_bytes = 6}.encode())},
      {"session_ready", encode_frame(FrameType::session_ready, 0, session.encode())},
      {"session_failed",
       encode_frame(FrameType::session_failed, 0, SessionFailed{.message = "seccomp"}.encode())},
      {"execute_request",
       encode_frame(FrameType::execute_request, 1,
                    ExecuteRequest{.code = "1 + 1", .execution_count = 1}.encode())},
      {"execute_reply", encode_frame(FrameType::execute_reply, 1, encode_body(kExecuteReply))},
      {"display_event",
       encode_frame(FrameType::display_event, 1, encode_body(display), one_picture)},
      {"display_three_parts",
       encode_frame(FrameType::display_event, 1, encode_body(display), three_parts)},
      {"complete_request", encode_frame(FrameType::complete_request, 2,
                                        CodeRequest{.code = "df.he", .cursor = 5}.encode())},
      {"complete_reply",
       encode_frame(FrameType::complete_reply, 2,
                    encode_body({{"matches", {"head"}}, {"start", 3}, {"end", 5}}))},
      {"inspect_reply", encode_frame(FrameType::inspect_reply, 3,
                                     encode_body({{"found", true}, {"text", "head(n=5)"}}))},
      {"is_complete_reply",
       encode_frame(FrameType::is_complete_reply, 4,
                    encode_body({{"status", "incomplete"}, {"indent", "    "}}))},
      {"variables_reply", encode_frame(FrameType::variables_reply, 5,
                                       encode_body({{"variables", Json::array({kVariable})}}))},
      {"shutdown_request",
       encode_frame(FrameType::shutdown_request, 6, encode_body(Json::object()))},
  };
}

std::vector<Seed> broken_streams(const std::vector<Seed>& whole) {
  std::string all;
  for (const Seed& seed : whole) all += seed.stream;
  const std::string& reply = whole[8].stream;
  std::string wrong_magic = reply;
  wrong_magic[0] = 'X';
  std::string wrong_type = reply;
  wrong_type[5] = static_cast<char>(200);
  std::string with_flags = reply;
  with_flags[14] = 1;
  const std::vector<std::uint32_t> huge(64, 0xffff'ffffU);
  // A hundred arrays, one inside the other, and a map of 2^32 - 1 entries that never come.
  const std::string deep(100, static_cast<char>(0x91));
  const std::string wide("\xdf\xff\xff\xff\xff", 5);
  // A length that no integer of ours holds, and a count below zero.
  const Json odd_numbers = {{"wait_status", 1e300}, {"cpu_us", -1}, {"max_rss_bytes", true}};
  return {
      {"all_in_a_row", all},
      {"cut_in_header", reply.substr(0, 20)},
      {"cut_in_body", reply.substr(0, reply.size() - 3)},
      {"wrong_magic", wrong_magic},
      {"wrong_type", wrong_type},
      {"with_flags", with_flags},
      {"oversized_body", encode_frame_head(FrameType::execute_reply, 1, 0xffff'ffffU)},
      {"oversized_attachments", encode_frame_head(FrameType::display_event, 1, 0, huge)},
      {"too_many_descriptors", encode_frame_head(FrameType::fork_reply, 1, 0, {}, 0xffffU)},
      {"deep_body", encode_frame(FrameType::execute_reply, 1, deep)},
      {"wide_body", encode_frame(FrameType::execute_reply, 1, wide)},
      {"odd_numbers", encode_frame(FrameType::session_exited, 1, encode_body(odd_numbers))},
  };
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 2) {
    std::fputs("usage: make_frame_seeds FOLDER\n", stderr);
    return 2;
  }
  std::vector<Seed> seeds = whole_frames();
  for (Seed& seed : broken_streams(seeds)) seeds.push_back(std::move(seed));
  for (const Seed& seed : seeds) {
    std::ofstream file(std::string(argv[1]) + "/" + seed.name, std::ios::binary);
    // The first byte: reads of a few bytes, the default limits.
    file << '\x05' << seed.stream;
    if (!file) {
      std::fprintf(stderr, "make_frame_seeds: cannot write %s\n", seed.name.c_str());
      return 1;
    }
  }
  return 0;
}
