#include "frame/restart/state.h"

#include "base/array.h"
#include "base/exceptions.h"
#include "fem/spaces/level_space.h"
#include "fem/spaces/mesh_change.h"
#include "frame/device_field.h"
#include "solvers/extrapolation.h"

#include <boost/serialization/array_wrapper.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace adamant
{
namespace
{
using Part = boost::serialization::array_wrapper<double>;

// Calls write(part, n) on the first rank with the values of all ranks, one rank's after the other's, in parts.
void gather(const Communicator &ranks, const Array<double> &values,
            const std::function<void(const double *part, std::size_t n)> &write)
{
  constexpr int       tag = 4712, most = 1 << 24;
  const std::uint64_t n    = values.size();
  const auto          comm = ranks.handle();
  if (ranks.rank() > 0)
    {
      check_mpi(MPI_Send(&n, 1, MPI_UINT64_T, 0, tag, comm), "MPI_Send");
      for (std::uint64_t at = 0; at < n; at += most)
        check_mpi(MPI_Send(values.data() + at, static_cast<int>(std::min<std::uint64_t>(most, n - at)), MPI_DOUBLE, 0,
                           tag, comm),
                  "MPI_Send");
      return;
    }
  write(values.data(), values.size());
  Array<double> part;
  for (int rank = 1; rank < ranks.size(); ++rank)
    {
      std::uint64_t size = 0;
      check_mpi(MPI_Recv(&size, 1, MPI_UINT64_T, rank, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
      for (std::uint64_t at = 0; at < size; at += most)
        {
          part.resize(std::min<std::uint64_t>(most, size - at));
          check_mpi(
            MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, rank, tag, comm, MPI_STATUS_IGNORE),
            "MPI_Recv");
          write(part.data(), part.size());
        }
    }
}
} // namespace

void State::copy(Vector<double> &vector)
{
  copies->resize(std::max(copies->size(), copied + 1));
  auto &kept = (*copies)[copied++];
  if (kept.size() != vector.size()) // on a new mesh, too
    kept = Vector<double>(vector.device(), vector.size());
  return loading() ? vector.device().copy(kept, vector) : vector.device().copy(vector, kept);
}

void State::vector(Vector<double> &vector, const StorageOrder &order)
{
  if (goes_back())
    return copy(vector);
  const auto entry = [&](int i) { return order.entry.empty() ? i : order.entry[i]; };
  double     sum   = vector.size();
  order.ranks.sum(&sum, 1);
  std::uint64_t n = static_cast<std::uint64_t>(sum);
  scalar(n);
  if (!loading())
    {
      const auto    values = to_host(vector);
      Array<double> ordered(vector.size());
      for (int i = 0; i < vector.size(); ++i)
        ordered[i] = values[entry(i)];
      gather(order.ranks, ordered,
             [&](const double *part, std::size_t length) { *out << Part(const_cast<double *>(part), length); });
      return;
    }
  if (n != static_cast<std::uint64_t>(sum))
    throw RunError("the checkpoint holds a vector of " + std::to_string(n) + " values, but " +
                   std::to_string(static_cast<std::uint64_t>(sum)) + " are expected");
  // Every rank reads all of the file in parts, and keeps its own values.
  Array<double>       values(vector.size()), block;
  const std::uint64_t first = static_cast<std::uint64_t>(order.ranks.sum_before(vector.size())),
                      end = first + vector.size(), most = 1 << 20;
  for (std::uint64_t at = 0; at < n; at += most)
    {
      block.resize(std::min(n - at, most));
      Part part(block.data(), block.size());
      *in >> part;
      for (std::uint64_t k = std::max(at, first); k < std::min(at + block.size(), end); ++k)
        values[entry(static_cast<int>(k - first))] = block[k - at];
    }
  vector.upload(values.data());
}

template <int dim>
void State::vector(Vector<double> &vector, const LevelSpace<dim> &space, int n_components)
{
  if (goes_back())
    return copy(vector);
  if (change == nullptr)
    return this->vector(vector,
                        n_components == 1 ? space.storage_order() : by_components(space.storage_order(), n_components));
  auto      &carried = dynamic_cast<MeshChange<dim> &>(*change);
  const auto n       = std::size_t(vector.size()) / n_components;
  if (!loading())
    {
      const auto values = to_host(vector);
      for (int c = 0; c < n_components; ++c)
        carried.keep(space, values.data() + c * n);
      return;
    }
  Array<double> values;
  for (int c = 0; c < n_components; ++c)
    {
      const auto component = carried.take(space);
      values.insert(values.end(), component.begin(), component.end());
    }
  vector.upload(values.data());
}

template <int dim>
void State::unknowns(Vector<double> &x, const LevelSpace<dim> &space)
{
  vector(x, space);
  if (change == nullptr || !loading())
    return;
  auto values = to_host(x);
  for (int i = 0; i < space.n_owned(); ++i)
    if (!space.is_free(i))
      values[i] = 0.;
  x.upload(values.data());
}

template <int dim>
void State::unknowns(Vector<double> &x, const CoarserSpace<dim> &space)
{
  if (change == nullptr)
    return vector(x, space.space);
  const Device  &device = x.device();
  Vector<double> on_finest(device, space.finest.n_owned());
  if (!loading())
    device.multiply(1., space.interpolation, x, 0., on_finest);
  vector(on_finest, space.finest);
  if (loading())
    device.multiply(1., space.injection, on_finest, 0., x);
}

template <class Space>
void State::history(Extrapolation &extrapolation, const Device &device, const Space &space)
{
  auto        &history = extrapolation.history();
  unsigned int n       = static_cast<unsigned int>(history.size());
  scalar(n);
  if (loading())
    history.clear(); // its vectors may be those of another mesh
  while (history.size() < n)
    history.emplace_back(device, space.n_owned());
  for (auto &earlier : history)
    unknowns(earlier, space);
}

#define INSTANTIATE(dim)                                                                  \
  template void State::vector(Vector<double> &, const LevelSpace<dim> &, int);            \
  template void State::unknowns(Vector<double> &, const LevelSpace<dim> &);               \
  template void State::unknowns(Vector<double> &, const CoarserSpace<dim> &);             \
  template void State::history(Extrapolation &, const Device &, const LevelSpace<dim> &); \
  template void State::history(Extrapolation &, const Device &, const CoarserSpace<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace adamant
