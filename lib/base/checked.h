#pragma once

#include <cstddef>
#include <typeinfo>

// In the checked build (CMake's ADAMANT_CHECKED) arrays and views check their use with these functions. A failure is an
// error of the library: it is printed with the calls that led there, and the program aborts.

namespace adamant::checked
{
/// Returns host memory between two red zones, which hold a pattern that nobody may change. The memory itself is filled
/// with bytes that are NaN as floating point and negative as integers, so that reading an element that was not written
/// is noticed. It is aligned to 64 bytes.
void *allocate(std::size_t bytes);
/// Frees the memory of n elements of this size and type. Aborts with a message where a red zone has changed.
void deallocate(void *memory, std::size_t n, std::size_t size, const std::type_info &type);

/// Prints "index 12 of an array of 10 int at 0x..." with the calls that led there, and aborts.
[[noreturn]] void out_of_range(std::size_t index, std::size_t size, const void *array, const std::type_info &type);
} // namespace adamant::checked
