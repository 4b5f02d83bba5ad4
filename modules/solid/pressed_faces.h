#pragma once

#include "algebra/device.h"
#include "algebra/vector.h"
#include "fem/spaces/level_space.h"
#include "solid/pressure_kernels.h"

#include <deal.II/fe/mapping.h>

#include <vector>

namespace adamant
{
/// The faces of a level's cells on boundaries where a pressure follows the deformed body, and their tractions.
template <int dim>
class PressedFaces
{
public:
  PressedFaces() = default;
  /// Integrals over faces take Gauss's rule of degree + 1 points.
  PressedFaces(const Device &device, const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
               const std::vector<unsigned int> &boundaries);

  PressedFacesView<dim> view();
  /// Computes the tractions of nodal values u; p[k] is the pressure on the boundary k of the list, in device memory. It
  /// has to last as long as the view is used.
  void update(const Vector<double> &u, const Vector<double> &p);
  /// Computes how these change for a change of u.
  void update_change(const Vector<double> &delta);

private:
  Device         device;
  int            n = 0, n_q = 0, n_faces = 0;
  const double  *pressures = nullptr; // of the last update
  List<int>      first, node, shape, boundary;
  List<double>   value, gradient;
  Vector<double> area, stretch, traction, change;
};
} // namespace adamant
