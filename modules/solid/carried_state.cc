// What checkpoints and other meshes take of a FiniteDeformation's state.

#include "algebra/functors.h"
#include "fem/spaces/field.h"
#include "solid/finite_deformation.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_dgq.h>

#include <optional>
#include <vector>

namespace adamant
{
// The points are the nodes of an element whose functions contain θ and p.
template <int dim>
void FiniteDeformation<dim>::serialize(State &archive, const std::vector<Vector<double> *> &states) const
{
  const auto               &space = unknown.space();
  std::optional<Field<dim>> at_points; // of all states: a change of the mesh knows spaces by their addresses
  if (projected() && archive.changes_mesh())
    at_points.emplace(unknown.field().meshes(), "values at points",
                      dealii::FE_DGQArbitraryNodes<dim>(dealii::QGauss<1>(space.element().degree + 1)));
  for (Vector<double> *state : states)
    {
      auto u = state->part(0, unknown.size());
      archive.vector(u, space);
      for (int k = 0; projected() && k < 2; ++k)
        {
          auto coefficients = state->part(unknown.size() + k * n_coefficients(), n_coefficients());
          if (at_points)
            carry(archive, *at_points, k, *state);
          else // cells have their order on any number of ranks
            archive.vector(coefficients, StorageOrder{space.communicator(), {}});
        }
    }
}

template <int dim>
void FiniteDeformation<dim>::carry(State &archive, const Field<dim> &field, int k, Vector<double> &state) const
{
  const auto    &space = field.finest();
  const int      n     = space.n_cells() * space.dofs_per_cell();
  const int     *node  = space.cell_dofs(0);
  Vector<double> values(device, n);
  Array<double>  nodal(n), by_cells(n);
  if (!archive.loading())
    {
      by_cells = at_points(k, state);
      for (int i = 0; i < n; ++i)
        nodal[node[i]] = by_cells[i];
      values.upload(nodal.data());
    }
  archive.vector(values, space);
  if (!archive.loading())
    return;
  nodal = to_host(values);
  for (int i = 0; i < n; ++i)
    by_cells[i] = nodal[node[i]];
  set_coefficients(k, by_cells, state);
}

template <int dim>
Array<double> FiniteDeformation<dim>::at_points(int k, const Vector<double> &state) const
{
  Vector<double> values(device, levels.back().shapes.n_points());
  const auto     coefficients = state.part(unknown.size() + k * n_coefficients(), n_coefficients());
  device.for_each(unknown.space().n_cells(),
                  FunctionsAtPoints{functions(levels.back()), coefficients.data(), values.data()});
  return to_host(values);
}

template <int dim>
void FiniteDeformation<dim>::set_coefficients(int k, const Array<double> &at_points, Vector<double> &state) const
{
  const Vector<double> values(device, at_points);
  auto                 coefficients = state.part(unknown.size() + k * n_coefficients(), n_coefficients());
  device.for_each(unknown.space().n_cells(),
                  ProjectionsOfFunctions{functions(levels.back()), values.data(), coefficients.data()});
  device.synchronize(); // before the values are freed
}

template void          FiniteDeformation<2>::serialize(State &, const std::vector<Vector<double> *> &) const;
template void          FiniteDeformation<3>::serialize(State &, const std::vector<Vector<double> *> &) const;
template Array<double> FiniteDeformation<2>::at_points(int, const Vector<double> &) const;
template Array<double> FiniteDeformation<3>::at_points(int, const Vector<double> &) const;
template void          FiniteDeformation<2>::set_coefficients(int, const Array<double> &, Vector<double> &) const;
template void          FiniteDeformation<3>::set_coefficients(int, const Array<double> &, Vector<double> &) const;
} // namespace adamant
