#pragma once

#include "fem/functions/points.h"
#include "fem/meshes/mesh.h"
#include "fem/support.h"
#include "heat/heat_equation.h"
#include "meshes/mesh_file.h"
#include "support/devices.h"

#include <deal.II/fe/mapping_q1.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

namespace test
{
using adamant::to_host;
using DeviceVector = adamant::Vector<double>;

// A temperature in the unit square or cube, and a velocity.
template <int dim>
class Flow
{
public:
  using Function = std::function<double(const Point<dim> &, int)>;

  // The temperature's kind is q1, q2 or limited.
  Flow(const adamant::Device &device, unsigned int refinements, bool hanging, const std::string &kind = "q1")
    : device(device)
  {
    make_corner_mesh(mesh, refinements - (kind == "q2"), hanging);
    if (kind == "q2")
      adamant::refine_global(mesh, 1);
    parameters.element   = kind == "q2" ? "q2" : "q1";
    parameters.advection = kind == "limited" ? "limited" : "supg";
    meshes.emplace(mesh, adamant::LevelMeshOptions{});
    velocity.emplace(*meshes, "u", FESystem<dim>(FE_Q<dim>(1), dim));
    parameters.initial = "0";
  }

  // Starts from the expression `initial`; on all boundaries T is `everywhere`, unless the parameters have a list.
  void start(const std::string &initial, const std::string &everywhere = "")
  {
    parameters.initial = initial;
    if (!everywhere.empty())
      parameters.boundaries.everywhere = everywhere;
    heat.reset();
    carried.emplace(*meshes, "T", FE_Q<dim>(1));
    transport.emplace(device, *carried, *velocity, mapping);
    heat.emplace(device, *velocity, mapping, parameters, &*transport);
    heat->set_initial_values();
  }

  DeviceVector flow(const Function &u) const
  {
    return DeviceVector(device, values_at_nodes(velocity->finest(), mapping, u));
  }

  // The largest error of T.
  double error(const std::function<double(const Point<dim> &)> &exact) const
  {
    const auto points = adamant::support_points(heat->space(), mapping);
    const auto T      = to_host(heat->T);
    double     most   = 0.;
    for (std::size_t i = 0; i < T.size(); ++i)
      most = std::max(most, std::abs(T[i] - exact(point_of<dim>(points, i))));
    return most;
  }

  adamant::Device                          device;
  Triangulation<dim>                       mesh;
  MappingQ1<dim>                           mapping;
  adamant::MeshFileParameters              file;
  adamant::HeatParameters                  parameters{file};
  std::optional<adamant::LevelMeshes<dim>> meshes;
  std::optional<adamant::Field<dim>>       velocity, carried;

  std::optional<adamant::LimitedTransport<dim>> transport;
  std::optional<adamant::HeatEquation<dim>>     heat;
};

inline double at_rest(const Point<2> &, int)
{
  return 0.;
}
} // namespace test
