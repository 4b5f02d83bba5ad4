#pragma once

#include "algebra/device.h"
#include "base/array.h"
#include "base/communicator.h"

#include <functional>
#include <string>

namespace adamant
{
/// A function of t at n fixed points x_i: it sets values[c n + i] = f_c(t, x_i) for c < n_components, i < n, in device
/// memory. Do not record it in a graph, which would keep the t of the recording.
using PointFunction = std::function<void(double t, Vector<double> &values)>;

/// Returns the function that `text` gives (parse_function) at the points x_i with coordinates points[d n + i] in host
/// memory. On the host, muParser evaluates it on all threads. For the GPU, NVRTC compiles it in this call. Where that
/// fails, values are computed on the host and uploaded, and one line on std::cout says why and at what cost. Throws
/// InputError with `key` for a mistake in the text.
template <int dim>
PointFunction function_at_points(const Device &device, const std::string &key, const std::string &text,
                                 unsigned int n_components, const Array<double> &points);

/// A function of one number: it sets values[i] = f(c_i) for i < c.size(), with both vectors in device memory.
using NumberFunction = std::function<void(const Vector<double> &c, Vector<double> &values)>;

/// Returns the function that `text` gives, in which `name` stands for the number. It is evaluated where and as the
/// result of function_at_points is.
NumberFunction function_of_number(const Device &device, const std::string &key, const std::string &text,
                                  const std::string &name);

/// Throws InputError on all ranks where one of them has a value that is NaN or infinite. `key` names the parameter that
/// gives the values. All ranks call it together.
void require_numbers(const Communicator &ranks, const std::string &key, const Array<double> &values);
} // namespace adamant
