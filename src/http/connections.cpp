#include "http/connections.hpp"

namespace cellblock::http {

Connections::List& Connections::list_of(Waits waits) {
  switch (waits) {
    case Waits::unknown:
      return unknown_;
    case Waits::known:
      return known_;
    case Waits::no:
      break;
  }
  return busy_;
}

void Connections::add(const std::shared_ptr<Connection>& connection) {
  unknown_.push_back(connection);
  places_.emplace(connection.get(), Place{&unknown_, std::prev(unknown_.end())});
}

void Connections::move(Connection& connection, Waits waits) {
  const auto place = places_.find(&connection);
  if (place == places_.end()) return;
  List& target = list_of(waits);
  target.splice(target.end(), *place->second.list, place->second.at);
  place->second.list = &target;
}

void Connections::remove(Connection& connection) {
  const auto place = places_.find(&connection);
  if (place == places_.end()) return;
  place->second.list->erase(place->second.at);
  places_.erase(place);
}

std::shared_ptr<Connection> Connections::to_evict() const {
  if (!unknown_.empty()) return unknown_.front();
  return known_.empty() ? nullptr : known_.front();
}

std::shared_ptr<Connection> Connections::any() const {
  const auto evicted = to_evict();
  return evicted || busy_.empty() ? evicted : busy_.front();
}

}  // namespace cellblock::http
