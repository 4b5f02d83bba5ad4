#pragma once

#include "algebra/device.h"
#include "base/array.h"

#include <functional>
#include <string>

namespace adamant
{
/// A function of t at fixed points: sets values[c n + i] = f_c(t, x_i), c < n_components, i < n, in the device's
/// memory. Not to be recorded in a graph: t is fixed when it is called.
using PointFunction = std::function<void(double t, Vector<double> &values)>;

/// The function that `text` gives (parse_function) at the points x_i with coordinates points[d n + i] in host memory.
/// On the host muParser evaluates it, on all threads. For the GPU it is compiled now, by NVRTC; where that cannot be,
/// it is evaluated on the host and uploaded, and one line on std::cout says why and at what cost. Throws InputError
/// with `key` for a mistake in the text.
template <int dim>
PointFunction function_at_points(const Device &device, const std::string &key, const std::string &text,
                                 unsigned int n_components, const Array<double> &points);

/// A function of one number: sets values[i] = f(c_i) for i < c.size(), all in the device's memory.
using NumberFunction = std::function<void(const Vector<double> &c, Vector<double> &values)>;

/// The function that `text` gives, in which `name` stands for the number; where and how it is evaluated as above.
NumberFunction function_of_number(const Device &device, const std::string &key, const std::string &text,
                                  const std::string &name);
} // namespace adamant
