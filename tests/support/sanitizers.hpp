// What a build with sanitizers cannot show.
#pragma once

namespace cellblock::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsMeasurable = false;
#else
inline constexpr bool kMemoryIsMeasurable = true;
#endif
inline constexpr const char* kNotMeasurable = "a sanitizer's own memory counts as the session's";

}  // namespace cellblock::test
