#pragma once

#include <cstddef>
#include <typeinfo>

// What the checked build (CMake's ADAMANT_CHECKED) adds to arrays and views. A failure is an error of the library: it is
// printed with the calls that led there, and the program aborts.

namespace adamant
{
namespace checked
{
/// Memory between two red zones: bytes of a pattern that nobody may change. The memory itself is filled with bytes that
/// are no number as floating point and negative as integers, so that reading what was not written does not stay
/// unnoticed. It is aligned to 64 bytes.
void *allocate(std::size_t bytes);
/// Looks at the red zones and frees the memory of n elements of this size and type.
void deallocate(void *memory, std::size_t n, std::size_t size, const std::type_info &type);

/// "index 12 of an array of 10 int at 0x...", and the end.
[[noreturn]] void out_of_range(std::size_t index, std::size_t size, const void *array, const std::type_info &type);
} // namespace checked
} // namespace adamant
