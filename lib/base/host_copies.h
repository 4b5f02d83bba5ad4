#pragma once

#include "base/array.h"

namespace adamant
{
/// A backend's vector with these values.
template <class Backend>
typename Backend::Vector to_backend(const Backend &backend, const Array<double> &values)
{
  auto vector = backend.create_vector(static_cast<int>(values.size()));
  backend.upload(values.data(), vector);
  return vector;
}

/// The values of a backend's vector, as an Array<double> or another container of contiguous doubles with a size, such as deal.II's
/// Vector<double>.
template <class Container = Array<double>, class Backend>
Container to_host(const Backend &backend, const typename Backend::Vector &vector)
{
  Container values(vector.size());
  backend.download(vector, values.data());
  return values;
}
} // namespace adamant
