#include "algebra/device.h"

#include "algebra/functors.h"
#include "algebra/functors/vector_functors.h"
#include "base/exceptions.h"

#include <limits>
#include <string>
#include <type_traits>

namespace adamant
{
namespace
{
// Kernels go through vectors in strides of less than 2^23 entries, behind the last one, too: no index may wrap. A size
// that has wrapped itself is negative.
std::size_t checked_length(int n)
{
  if (n < 0 || n > std::numeric_limits<int>::max() - (1 << 23))
    throw IndexOverflow("a vector of " + std::to_string(static_cast<unsigned int>(n)) +
                        " entries: more than 32-bit indices can count; take more ranks");
  return static_cast<std::size_t>(n);
}
} // namespace

template <typename Number>
void Device::multiply(Number a, const Matrix<Number> &A, const Vector<Number> &x, Number b, Vector<Number> &y) const
{
  A.storage().multiply(a, x.data(), b, y.data());
}

template <typename Number>
void Device::residual(const Matrix<Number> &A, const Vector<Number> &x, const Vector<Number> &b,
                      Vector<Number> &r) const
{
  for_each_row(A, x, Residual<Number>(b.data(), r.data()));
}

template <typename From, typename To>
void Device::copy(const Vector<From> &x, Vector<To> &y) const
{
  for_each(x.size(), Convert<From, To>{x.data(), y.data()});
}

template <typename Number>
void Device::scale(Number a, Vector<Number> &x) const
{
  for_each(x.size(), Scale<Number>{a, x.data()});
}

template <typename Number>
void Device::axpby(Number a, const Vector<Number> &x, Number b, Vector<Number> &y) const
{
  for_each(x.size(), AddScaled<Number>{a, b, x.data(), y.data()});
}

template <typename Number>
void Device::dot(const Vector<Number> &x, const Vector<Number> &y, Scalars &s, int i) const
{
  sums(x.size(), InnerProduct<Number>{x.data(), y.data()}, s, i, ToHost{1, false, s.data() + i, s.on_host() + i}, {});
}

template <typename Number>
double Device::dot(const Vector<Number> &x, const Vector<Number> &y) const
{
  Scalars s(*this, device->own_scalar());
  dot(x, y, s, 0);
  return s.fetch()[0];
}

template <typename Number>
void Device::norms(const Vector<Number> &r, const Vector<Number> &b, Scalars &s) const
{
  sums(r.size(), Squares<Number>{r.data(), b.data()}, s, 0, ToHost{2, true, s.data(), s.on_host()}, {});
}

void Device::invert(Vector<double> &a, int n) const
{
  device->invert(a.data(), n);
}

template <typename Number>
Vector<Number>::Vector(const Device &device, int n)
  : where(device)
  , values(std::static_pointer_cast<Number>(device.interface().allocate(checked_length(n) * sizeof(Number), "vectors")))
  , n(n)
{}

template <typename Number>
Vector<Number>::Vector(const Device &device, const Array<double> &from)
  : where(device)
  , values(std::static_pointer_cast<Number>(device.interface().allocate(from.size() * sizeof(Number), "vectors")))
  , n(to_index(from.size(), "entries of a vector"))
{
  upload(from.data());
}

template <typename Number>
void Vector<Number>::set_zero()
{
  where.interface().clear(data(), n * sizeof(Number));
}

template <typename Number>
void Vector<Number>::upload(const double *source)
{
  if constexpr (std::is_same_v<Number, double>)
    return where.interface().upload(data(), source, n * sizeof(double));
  Vector<double> staging(where, n);
  staging.upload(source);
  where.copy(staging, *this);
  where.synchronize();
}

template <typename Number>
void Vector<Number>::download(double *target) const
{
  if constexpr (std::is_same_v<Number, double>)
    return where.interface().download(target, data(), n * sizeof(double));
  Vector<double> staging(where, n);
  where.copy(*this, staging);
  staging.download(target);
}

template <typename Number>
Vector<Number> Vector<Number>::part(int first, int length) const
{
  Vector<Number> view;
  view.where  = where;
  view.values = {values, values.get() + first};
  view.n      = length;
  return view;
}

void Snapshot::take(const Vector<double> &x)
{
  x.device().for_each(x.size(), Convert<double, double>{x.data(), snapshot->on_device()});
  snapshot->send();
}

template class Vector<double>;
template class Vector<float>;
template void Device::copy(const Vector<double> &, Vector<double> &) const;
template void Device::copy(const Vector<double> &, Vector<float> &) const;
template void Device::copy(const Vector<float> &, Vector<double> &) const;
template void Device::copy(const Vector<float> &, Vector<float> &) const;
template void Device::multiply(double, const Matrix<double> &, const Vector<double> &, double, Vector<double> &) const;
template void Device::residual(const Matrix<double> &, const Vector<double> &, const Vector<double> &,
                               Vector<double> &) const;
template void Device::scale(double, Vector<double> &) const;
template void Device::axpby(double, const Vector<double> &, double, Vector<double> &) const;
template void Device::dot(const Vector<double> &, const Vector<double> &, Scalars &, int) const;
template double Device::dot(const Vector<double> &, const Vector<double> &) const;
template void   Device::norms(const Vector<double> &, const Vector<double> &, Scalars &) const;

template void   Device::multiply(float, const Matrix<float> &, const Vector<float> &, float, Vector<float> &) const;
template void   Device::residual(const Matrix<float> &, const Vector<float> &, const Vector<float> &,
                                 Vector<float> &) const;
template void   Device::scale(float, Vector<float> &) const;
template void   Device::axpby(float, const Vector<float> &, float, Vector<float> &) const;
template void   Device::dot(const Vector<float> &, const Vector<float> &, Scalars &, int) const;
template double Device::dot(const Vector<float> &, const Vector<float> &) const;
template void   Device::norms(const Vector<float> &, const Vector<float> &, Scalars &) const;
} // namespace adamant
