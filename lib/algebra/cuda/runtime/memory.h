#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

// CUDA's handles, opaque here: no CUDA header outside .cu and .cuh files.
struct CUstream_st;
struct CUevent_st;

namespace adamant::cuda
{
/// Bytes behind each allocation that the checked build examines when the allocation is given back. Where somebody has
/// written there, the program ends with a message that names the allocation.
#ifdef ADAMANT_CHECKED
inline constexpr std::size_t red_zone = 256;
#else
inline constexpr std::size_t red_zone = 0;
#endif

/// Memory of the current device, counted for each purpose ("vectors", "matrices", ...). The arrays that have memory of
/// it keep this object alive.
class Memory
{
public:
  void *allocate(std::size_t bytes, const std::string &purpose); ///< throws RunError that says who holds memory
  void  release(void *memory, std::size_t bytes, const std::string &purpose) noexcept;

  std::function<void()> before_release; ///< called before a release where not empty; must not throw

  std::size_t                               peak() const { return highest; } ///< bytes
  const std::map<std::string, std::size_t> &by_purpose() const { return ledger; }

private:
  std::map<std::string, std::size_t> ledger;
  std::size_t                        in_use = 0, highest = 0;
};

/// Device memory of n objects of type T, which the array owns.
template <typename T>
class DeviceArray
{
public:
  DeviceArray() = default;
  DeviceArray(std::shared_ptr<Memory> from, std::size_t n, const char *purpose)
    : from(std::move(from))
    , n(n)
    , purpose(purpose)
  {
    memory = n == 0 ? nullptr : static_cast<T *>(this->from->allocate(n * sizeof(T), purpose));
  }
  DeviceArray(DeviceArray &&other) noexcept { *this = std::move(other); }
  DeviceArray &operator=(DeviceArray &&other) noexcept
  {
    std::swap(from, other.from);
    std::swap(memory, other.memory);
    std::swap(n, other.n);
    std::swap(purpose, other.purpose);
    return *this;
  }
  ~DeviceArray()
  {
    if (memory != nullptr)
      from->release(memory, n * sizeof(T), purpose);
  }

  std::size_t size() const { return n; }
  T          *data() { return memory; }
  const T    *data() const { return memory; }

private:
  std::shared_ptr<Memory> from;
  T                      *memory  = nullptr;
  std::size_t             n       = 0;
  const char             *purpose = "";
};

/// The way of large arrays to the device: two pieces of pinned host memory in turn. All threads fill one piece while
/// the other one travels. The driver copies memory that is not pinned with one thread. Where no memory can be pinned,
/// it makes these copies, too.
class Staging
{
public:
  /// Arrays of at least so many bytes go this way; smaller ones are as fast without.
  static constexpr std::size_t least = std::size_t(4) << 20;

  /// Copies from host memory, which may change when this returns; later work on the stream finds the copy there.
  void send(void *to, const void *on_host, std::size_t bytes, CUstream_st *stream);

private:
  struct Piece
  {
    std::shared_ptr<char>       memory;
    std::shared_ptr<CUevent_st> left; // marks that the device has the piece
  };
  static bool make(Piece &piece); // returns whether there was memory to pin

  Piece pieces[2]; // made when they are needed
  int   next = 0;
};
} // namespace adamant::cuda
