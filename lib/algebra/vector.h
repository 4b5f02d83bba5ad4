#pragma once

#include "algebra/device.h"

#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
/// This rank's part of a vector on one device. It owns its memory and is movable, not copyable: copies are explicit
/// (Device::copy).
template <typename Number>
class Vector
{
public:
  using value_type = Number;

  Vector() = default;
  Vector(const Device &device, int n);                       ///< n zeros
  Vector(const Device &device, const Array<double> &values); ///< a copy of values in host memory, converted
  Vector(Vector &&) noexcept            = default;
  Vector &operator=(Vector &&) noexcept = default;

  int           size() const { return n; }
  Number       *data() { return values.get(); } ///< device memory
  const Number *data() const { return values.get(); }
  const Device &device() const { return where; }

  void upload(const double *source);   ///< size() values from host memory; waits
  void download(double *target) const; ///< size() values to host memory; waits
  void set_zero();

  /// Returns the entries first, ..., first + length - 1 as a vector that shares this one's memory: one part of a block
  /// vector.
  Vector part(int first, int length) const;

private:
  Device                  where;
  std::shared_ptr<Number> values;
  int                     n = 0;
};

/// n objects of type T in the memory of a device: numbers of nodes or rows, tables, numbers of any storage type. Copies
/// share the memory.
template <typename T>
class List
{
public:
  List() = default;
  /// Makes n objects whose bytes are zero.
  List(const Device &device, std::size_t n, const char *purpose = "vectors")
    : values(std::static_pointer_cast<T>(device.interface().allocate(n * sizeof(T), purpose)))
    , n(n)
  {}
  /// Copies `source`, which is in host memory.
  List(const Device &device, const Array<T> &source, const char *purpose = "tables")
    : List(device, source.size(), purpose)
  {
    device.interface().upload(values.get(), source.data(), bytes());
  }

  int         size() const { return to_index(n, "entries of a list"); }
  std::size_t bytes() const { return n * sizeof(T); }
  T          *data() { return values.get(); } ///< device memory
  const T    *data() const { return values.get(); }

private:
  std::shared_ptr<T> values;
  std::size_t        n = 0;
};

/// Vectors from which kernels choose by a number on the device, where the table of their addresses is. It grows, to
/// `most` vectors.
template <typename Number>
class VectorTable
{
public:
  VectorTable() = default;
  VectorTable(const Device &device, int n, int most)
    : device(device)
    , n(n)
    , table(device, most, "tables")
  {}

  int             size() const { return static_cast<int>(vectors.size()); }
  Vector<Number> &operator[](int i) { return vectors[i]; }
  Number *const  *data() const { return table.data(); } ///< device memory
  void            add()                                 ///< adds a vector; waits
  {
    vectors.emplace_back(device, n);
    Number *const address = vectors.back().data();
    device.interface().upload(table.data() + vectors.size() - 1, &address, sizeof(address));
  }

private:
  Device                      device;
  int                         n = 0;
  List<Number *>              table;
  std::vector<Vector<Number>> vectors;
};

/// Returns the values of a vector in host memory, as an Array<double> or another container of contiguous doubles with a
/// size, such as deal.II's Vector<double>.
template <class Container = Array<double>, typename Number>
Container to_host(const Vector<Number> &vector)
{
  Container values(vector.size());
  vector.download(values.data());
  return values;
}

/// n objects of type T in the memory of a device, which functors change, and room for copies of them on the host.
template <class T>
class Shared
{
public:
  Shared() = default;
  explicit Shared(const Device &device, int n = 1)
    : Shared(device, device.interface().create_scalars((n * sizeof(T) + sizeof(double) - 1) / sizeof(double)))
  {}
  Shared(const Device &device, const ScalarStorage &memory)
    : device(device)
    , memory(memory)
  {}

  T *data() const { return reinterpret_cast<T *>(memory.on_device); }  ///< device memory
  T *on_host() const { return reinterpret_cast<T *>(memory.on_host); } ///< host memory, where kernels may write
  /// Waits for the operations so far and returns on_host(). Reductions and controls have written their results there.
  const T *fetch() const
  {
    device.synchronize();
    return on_host();
  }

private:
  Device        device;
  ScalarStorage memory;
};

/// A place in the sequence of operations, for which the host can wait while later operations are under way.
class Mark
{
public:
  Mark() = default;
  explicit Mark(const Device &device)
    : mark(device.interface().create_mark())
  {}

  void take() const { mark->take(); } ///< puts the mark behind all operations so far
  void wait() const { mark->wait(); } ///< waits for the operations before its last `take`

private:
  std::shared_ptr<MarkStorage> mark;
};

/// Values on their way to the host beside later operations, which neither wait for them nor change them.
class Snapshot
{
public:
  Snapshot() = default;
  Snapshot(const Device &device, int n)
    : snapshot(device.interface().create_snapshot(n))
  {}

  void          take(const Vector<double> &x);                ///< sends the n values that x has now
  const double *values() const { return snapshot->values(); } ///< waits for the values; another thread may call it

private:
  std::shared_ptr<SnapshotStorage> snapshot;
};
} // namespace adamant
