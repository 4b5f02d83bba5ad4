#pragma once

#include <cstddef>
#include <memory>

struct CUstream_st;
struct CUevent_st;

namespace adamant
{
namespace cuda
{
/// The way of large arrays to the device: two pieces of pinned host memory in turn. All threads fill one of them while
/// the other one travels; where memory is not pinned, the driver makes such copies with one thread, and where none can
/// be pinned it makes these, too.
class Staging
{
public:
  /// Arrays of so many bytes go this way; the others are as fast without.
  static constexpr std::size_t least = std::size_t(4) << 20;

  /// From host memory, which may change when this returns; later work on the stream finds it there.
  void send(void *to, const void *on_host, std::size_t bytes, CUstream_st *stream);

private:
  struct Piece
  {
    std::shared_ptr<char>       memory;
    std::shared_ptr<CUevent_st> left; // the device has it
  };
  static bool make(Piece &piece); // whether there was memory to pin

  Piece pieces[2]; // made when they are needed
  int   next = 0;
};
} // namespace cuda
} // namespace adamant
