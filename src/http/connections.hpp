// All connections of a server, and which of them has to go when there are too many.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <unordered_map>

namespace cellblock::http {

class Connection;

/// For the server's own thread.
class Connections final {
 public:
  /// What a connection that waits for a request has shown before.
  enum class Waits {
    unknown,  ///< nothing yet
    known,    ///< a request that was allowed
    no,       ///< it does not wait: a request is read or served
  };

  /// As the one that has waited least, `unknown`.
  void add(const std::shared_ptr<Connection>& connection);
  void move(Connection& connection, Waits waits);
  void remove(Connection& connection);

  [[nodiscard]] std::size_t size() const { return places_.size(); }
  /// The one that has waited longest, an unknown one first. Null: none waits.
  [[nodiscard]] std::shared_ptr<Connection> to_evict() const;
  [[nodiscard]] std::shared_ptr<Connection> any() const;

 private:
  using List = std::list<std::shared_ptr<Connection>>;
  struct Place {
    List* list;
    List::iterator at;
  };

  List& list_of(Waits waits);

  List unknown_;
  List known_;
  List busy_;
  std::unordered_map<Connection*, Place> places_;
};

}  // namespace cellblock::http
