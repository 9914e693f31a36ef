#include "python/message_pack.hpp"

#include <bit>

#include "python/py_ref.hpp"

namespace cellblock::python {
namespace {

constexpr Py_UCS4 kReplacement = 0xFFFD;

void append_utf8(std::string& out, Py_UCS4 c) {
  const auto byte = [&out](Py_UCS4 value) { out.push_back(static_cast<char>(value)); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | (c >> 6));
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3F));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

// By hand: the codec's error handlers can be replaced by user code.
std::string without_surrogates(PyObject* text) {
  std::string out;
  const Py_ssize_t length = PyUnicode_GET_LENGTH(text);
  out.reserve(static_cast<std::size_t>(length));
  for (Py_ssize_t i = 0; i < length; ++i) {
    const Py_UCS4 c = PyUnicode_READ_CHAR(text, i);
    append_utf8(out, c >= 0xD800 && c <= 0xDFFF ? kReplacement : c);
  }
  return out;
}

class Encoder final {
 public:
  Encoder(std::string& out, const EncodeLimits& limits)
      : out_(out), writer_(out), limits_(limits) {}

  bool value(PyObject* object, int depth) {
    if (out_.size() > limits_.max_bytes) return false;
    if (object == Py_None) {
      writer_.nil();
    } else if (PyBool_Check(object)) {
      writer_.boolean(object == Py_True);
    } else if (PyLong_Check(object)) {
      integer(object);
    } else if (PyFloat_Check(object)) {
      writer_.real(PyFloat_AS_DOUBLE(object));
    } else if (PyUnicode_Check(object)) {
      return text(object);
    } else if (PyBytes_Check(object)) {
      const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(object));
      if (!fits(size)) return false;
      writer_.binary({PyBytes_AS_STRING(object), size});
    } else {
      return container(object, depth);
    }
    return true;
  }

  /// What is none, or too deep, is told by its type's name.
  bool container(PyObject* object, int depth) {
    if (depth < limits_.max_depth && PyDict_Check(object)) {
      writer_.map_header(static_cast<std::uint32_t>(PyDict_Size(object)));
      return entries(object, depth + 1);
    }
    if (depth < limits_.max_depth && (PyList_Check(object) || PyTuple_Check(object))) {
      return sequence(object, depth + 1);
    }
    writer_.string(Py_TYPE(object)->tp_name);
    return true;
  }

  bool entries(PyObject* dict, int depth) {
    PyObject* key = nullptr;
    PyObject* item = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &key, &item) != 0) {
      if (PyUnicode_Check(key)) {
        if (!text(key)) return false;
      } else {
        integer_key(key);
      }
      if (!value(item, depth)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] bool fits(std::size_t more) const {
    return more <= limits_.max_bytes && out_.size() + more <= limits_.max_bytes;
  }

  bool sequence(PyObject* items, int depth) {
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
    writer_.array_header(static_cast<std::uint32_t>(count));
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!value(PySequence_Fast_GET_ITEM(items, i), depth)) return false;
    }
    return true;
  }

  bool text(PyObject* object) {
    if (!fits(static_cast<std::size_t>(PyUnicode_GET_LENGTH(object)))) return false;
    Py_ssize_t size = 0;
    if (const char* utf8 = PyUnicode_AsUTF8AndSize(object, &size); utf8 != nullptr) {
      if (!fits(static_cast<std::size_t>(size))) return false;
      writer_.string({utf8, static_cast<std::size_t>(size)});
      return true;
    }
    PyErr_Clear();
    const std::string replaced = without_surrogates(object);
    if (!fits(replaced.size())) return false;
    writer_.string(replaced);
    return true;
  }

  void integer(PyObject* object) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) {
      writer_.integer(small);
      return;
    }
    if (overflow > 0) {
      const unsigned long long large = PyLong_AsUnsignedLongLong(object);
      if (PyErr_Occurred() == nullptr) {
        writer_.unsigned_integer(large);
        return;
      }
      PyErr_Clear();
    }
    digits(object);
  }

  // int's own repr: a subclass's __str__ is user code.
  void digits(PyObject* object) {
    const PyRef decimal(PyLong_Type.tp_repr(object));
    const char* utf8 = decimal ? PyUnicode_AsUTF8(decimal.get()) : nullptr;
    writer_.string(utf8 != nullptr ? utf8 : "<a very large int>");
    PyErr_Clear();
  }

  void integer_key(PyObject* key) {
    if (PyLong_Check(key)) {
      digits(key);
    } else {
      writer_.string(Py_TYPE(key)->tp_name);
    }
  }

  std::string& out_;
  MessagePackWriter writer_;
  EncodeLimits limits_;
};

}  // namespace

void MessagePackWriter::head(unsigned char code, std::uint64_t value, int bytes) {
  out_.push_back(static_cast<char>(code));
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
    out_.push_back(static_cast<char>(value >> shift));
  }
}

void MessagePackWriter::nil() { head(0xC0, 0, 0); }

void MessagePackWriter::boolean(bool value) { head(value ? 0xC3 : 0xC2, 0, 0); }

void MessagePackWriter::integer(std::int64_t value) {
  if (value >= 0) {
    unsigned_integer(static_cast<std::uint64_t>(value));
  } else {
    head(0xD3, static_cast<std::uint64_t>(value), 8);
  }
}

void MessagePackWriter::unsigned_integer(std::uint64_t value) {
  if (value < 0x80) {
    head(static_cast<unsigned char>(value), 0, 0);
  } else {
    head(0xCF, value, 8);
  }
}

void MessagePackWriter::real(double value) { head(0xCB, std::bit_cast<std::uint64_t>(value), 8); }

void MessagePackWriter::string(std::string_view text) {
  if (text.size() < 32) {
    head(static_cast<unsigned char>(0xA0 | text.size()), 0, 0);
  } else if (text.size() < 0x100) {
    head(0xD9, text.size(), 1);
  } else {
    head(0xDB, text.size(), 4);
  }
  out_.append(text);
}

void MessagePackWriter::binary(std::string_view bytes) {
  head(0xC6, bytes.size(), 4);
  out_.append(bytes);
}

void MessagePackWriter::array_header(std::uint32_t count) {
  if (count < 16) {
    head(static_cast<unsigned char>(0x90 | count), 0, 0);
  } else {
    head(0xDD, count, 4);
  }
}

void MessagePackWriter::map_header(std::uint32_t count) {
  if (count < 16) {
    head(static_cast<unsigned char>(0x80 | count), 0, 0);
  } else {
    head(0xDF, count, 4);
  }
}

bool encode_object(PyObject* object, std::string& out, const EncodeLimits& limits) {
  return Encoder(out, limits).value(object, 0);
}

bool encode_entries(PyObject* dict, std::string& out, const EncodeLimits& limits) {
  return Encoder(out, limits).entries(dict, 1);
}

}  // namespace cellblock::python
