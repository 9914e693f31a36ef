// MessagePack straight from Python objects, and from the few values that our own replies add.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

struct _object;  // PyObject

namespace cellblock::python {

/// Appends to a string. Strings are written as they are.
class MessagePackWriter final {
 public:
  explicit MessagePackWriter(std::string& out) : out_(out) {}

  void nil();
  void boolean(bool value);
  void integer(std::int64_t value);
  void unsigned_integer(std::uint64_t value);
  void real(double value);
  void string(std::string_view text);
  void binary(std::string_view bytes);
  void array_header(std::uint32_t count);
  void map_header(std::uint32_t count);

 private:
  void head(unsigned char code, std::uint64_t value, int bytes);
  std::string& out_;
};

struct EncodeLimits {
  int max_depth = 48;
  std::size_t max_bytes = 15U << 20;  // the host's frames hold 16 MiB
};

/// Encodes None, bool, int, float, str, bytes, dict, list and tuple (and subclasses, by their
/// stored value); anything else, and what is nested too deep, becomes its type's name. Lone
/// surrogates become U+FFFD, integers over 64 bits decimal strings. Runs no user code and leaves no
/// exception set. False: over the size limit; `out` is then to be thrown away. GIL held.
bool encode_object(struct _object* object, std::string& out, const EncodeLimits& limits = {});

/// The entries of a dict without a map header, for a map that gets further entries.
bool encode_entries(struct _object* dict, std::string& out, const EncodeLimits& limits = {});

}  // namespace cellblock::python
