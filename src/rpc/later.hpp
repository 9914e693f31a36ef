// Methods that are one call of Session.
#pragma once

#include <memory>
#include <utility>

#include "rpc/methods.hpp"
#include "rpc/wire_values.hpp"

namespace cellblock::rpc {

/// `call` takes a Session& and gives an Expected of something with a wire form.
template <class Call>
Prepared later(Expected<std::shared_ptr<OpenSession>, RpcError> session, Call call) {
  if (!session) return std::move(session).error();
  return [opened = std::move(*session), call = std::move(call)]() -> Outcome {
    auto answer = call(opened->session());
    if (!answer) return server_error(std::move(answer).error());
    return to_wire(*answer);
  };
}

}  // namespace cellblock::rpc
