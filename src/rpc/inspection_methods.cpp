// What a session holds and what it would say.
#include <algorithm>
#include <utility>

#include "rpc/later.hpp"

namespace cellblock::rpc {
namespace {

constexpr Bytes kMaxPageBytes = 4ULL << 20;

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

struct Cursor {
  std::string code;
  std::size_t at = 0;
};

Cursor read_cursor(Params& params) {
  Cursor cursor{params.string("code")};
  const std::size_t length = code_points(cursor.code);
  cursor.at = params.optional_count("cursor").value_or(length);
  if (cursor.at > length) {
    params.refuse("cursor", "counts code points and must be at most the length of the code");
  }
  return cursor;
}

}  // namespace

Prepared session_variables(Engine& engine, Params& params) {
  return later(named_session(engine, params), [](Session& session) { return session.variables(); });
}

Prepared session_complete(Engine& engine, Params& params) {
  auto cursor = read_cursor(params);
  return later(named_session(engine, params), [cursor = std::move(cursor)](Session& session) {
    return session.complete(cursor.code, cursor.at);
  });
}

Prepared session_inspect(Engine& engine, Params& params) {
  auto cursor = read_cursor(params);
  return later(named_session(engine, params), [cursor = std::move(cursor)](Session& session) {
    return session.inspect(cursor.code, cursor.at);
  });
}

Prepared session_is_complete(Engine& engine, Params& params) {
  auto code = params.string("code");
  return later(named_session(engine, params),
               [code = std::move(code)](Session& session) { return session.is_complete(code); });
}

Prepared session_output(Engine& engine, Params& params) {
  OutputQuery query;
  query.execution_id = params.string("execution_id");
  const bool of_stderr = params.choice("stream", {"stdout", "stderr"}) == "stderr";
  query.stream = of_stderr ? OutputStream::err : OutputStream::out;
  query.offset = params.optional_count("offset").value_or(query.offset);
  query.limit = params.optional_count("limit").value_or(query.limit);
  query.pattern = params.optional_string("pattern");
  if (query.limit == 0 || query.limit > kMaxPageBytes) {
    params.refuse("limit", "must be from 1 to " + std::to_string(kMaxPageBytes));
  }
  return later(named_session(engine, params),
               [query = std::move(query)](Session& session) { return session.output(query); });
}

}  // namespace cellblock::rpc
