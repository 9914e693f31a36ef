#include "host/mime_types.hpp"

#include <string>

#include "support/catch.hpp"

using cellblock::host::mime_type_of;

TEST_CASE("A file's type goes by its last ending, in either case") {
  CHECK(mime_type_of("a.csv") == "text/csv");
  CHECK(mime_type_of("folder/A.CSV") == "text/csv");
  CHECK(mime_type_of("plot.v2.png") == "image/png");
  CHECK(mime_type_of("x.tar.gz") == "application/gzip");
  CHECK(mime_type_of("t.parquet") == "application/vnd.apache.parquet");
}

TEST_CASE("What is not known is a stream of bytes") {
  for (const char* path :
       {"", "csv", "a.", ".", "a.unknown", "folder.csv/file", "a.csv/", "a.c\xFFv", "a.csv "}) {
    INFO(path);
    CHECK(mime_type_of(path) == "application/octet-stream");
  }
  CHECK(mime_type_of(std::string("a.csv\0.bin", 10)) == "application/octet-stream");
}
