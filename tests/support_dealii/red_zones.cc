// Red zones behind all arrays of adamant (UninitializedAllocator asks for aligned memory, hardly anything else does):
// a test in which one of them was written behind its end fails. Programs link it to have it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#ifndef __SANITIZE_ADDRESS__ // which has zones of its own
namespace
{
constexpr std::size_t   zone    = std::size_t(1) << 15;
constexpr unsigned char pattern = 0xA5;
std::atomic<int>        n_overruns{0};

// Before the array stands its size, in front of it a piece as long as its alignment.
std::size_t front(std::align_val_t alignment)
{
  return std::max(static_cast<std::size_t>(alignment), alignof(std::max_align_t));
}

void release(void *array, std::align_val_t alignment) noexcept
{
  if (array == nullptr)
    return;
  auto       *p    = static_cast<unsigned char *>(array);
  std::size_t size = 0;
  std::memcpy(&size, p - sizeof(size), sizeof(size));
  if (std::any_of(p + size, p + size + zone, [](unsigned char c) { return c != pattern; }))
    ++n_overruns;
  std::free(p - front(alignment));
}

struct AfterEachTest : testing::EmptyTestEventListener
{
  void OnTestEnd(const testing::TestInfo &test) override
  {
    if (const int n = n_overruns.exchange(0); n > 0)
      ADD_FAILURE() << n << " arrays were written behind their ends in " << test.name();
  }
};

[[maybe_unused]] const bool listens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new AfterEachTest);
  return true;
}();
} // namespace

void *operator new(std::size_t size, std::align_val_t alignment)
{
  void *memory = nullptr;
  if (posix_memalign(&memory, front(alignment), front(alignment) + size + zone) != 0)
    throw std::bad_alloc();
  auto *p = static_cast<unsigned char *>(memory) + front(alignment);
  std::memcpy(p - sizeof(size), &size, sizeof(size));
  std::memset(p + size, pattern, zone);
  return p;
}
void operator delete(void *array, std::align_val_t alignment) noexcept
{
  release(array, alignment);
}
void operator delete(void *array, std::size_t, std::align_val_t alignment) noexcept
{
  release(array, alignment);
}
#endif
