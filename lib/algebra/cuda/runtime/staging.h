#pragma once

#include <cstddef>
#include <memory>

struct CUstream_st;
struct CUevent_st;

namespace adamant
{
namespace cuda
{
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
} // namespace cuda
} // namespace adamant
