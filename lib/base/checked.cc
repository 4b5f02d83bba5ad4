#include "base/checked.h"

#include <boost/core/demangle.hpp>
#include <boost/stacktrace.hpp>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <sstream>
#include <string>

namespace adamant::checked
{
namespace
{
constexpr std::size_t zone = 4096; // bytes before and behind: what is written too far is rarely one element too far
constexpr std::align_val_t alignment = std::align_val_t(64);
constexpr int              pattern = 0xa5, not_written = 0xff;

[[noreturn]] void fail(const std::string &what)
{
  std::ostringstream message; // one write, as other threads may fail, too
  message << "checked build: " << what << "\n" << boost::stacktrace::stacktrace(2, 20);
  std::cerr << message.str() << std::flush;
  std::abort();
}

std::string array_of(std::size_t n, const void *array, const std::type_info &type)
{
  std::ostringstream text;
  text << "an array of " << n << " " << boost::core::demangle(type.name()) << " at " << array;
  return text.str();
}

// The first byte of a zone that has changed, or its end.
std::size_t first_change(const unsigned char *from)
{
  std::size_t i = 0;
  while (i < zone && from[i] == pattern)
    ++i;
  return i;
}
} // namespace

void *allocate(std::size_t bytes)
{
  auto *memory = static_cast<unsigned char *>(::operator new(bytes + 2 * zone, alignment));
  std::memset(memory, pattern, zone);
  std::memset(memory + zone, not_written, bytes);
  std::memset(memory + zone + bytes, pattern, zone);
  return memory + zone;
}

void deallocate(void *memory, std::size_t n, std::size_t size, const std::type_info &type)
{
  auto             *begin = static_cast<unsigned char *>(memory), *end = begin + n * size;
  const std::size_t before = first_change(begin - zone), behind = first_change(end);
  if (behind < zone)
    fail("overrun of " + array_of(n, memory, type) + ": the byte " + std::to_string(behind) +
         " behind its end became " + std::to_string(int(end[behind])));
  if (before < zone)
    fail("underrun of " + array_of(n, memory, type) + ": the byte " + std::to_string(zone - before) +
         " before its begin became " + std::to_string(int(*(begin - zone + before))));
  ::operator delete(begin - zone, alignment);
}

void out_of_range(std::size_t index, std::size_t size, const void *array, const std::type_info &type)
{
  fail("index " + std::to_string(static_cast<std::ptrdiff_t>(index)) + " of " + array_of(size, array, type));
}
} // namespace adamant::checked
