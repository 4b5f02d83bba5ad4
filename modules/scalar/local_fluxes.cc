#include "scalar/local_fluxes.h"

#include "base/exceptions.h"
#include "fem/forms/cell_rows.h"
#include "fem/functions/points.h"

#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/vector.h>

#include <algorithm>

namespace adamant
{
namespace
{
// The numbers of all ranks, one rank's after another's.
std::vector<double> gathered(const Communicator &ranks, const std::vector<double> &own)
{
  std::vector<double> all;
  for (const auto &of_rank : dealii::Utilities::MPI::all_gather(ranks.handle(), own))
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  return all;
}
} // namespace

template <int dim>
LocalFluxes<dim>::LocalFluxes(const std::string &key, const std::set<unsigned int> &ids, const LevelSpace<dim> &space,
                              const dealii::Mapping<dim> &mapping, const ScalarBoundaries &boundaries, double diffusion)
  : space(&space)
  , wanted(ids)
{
  if (ids.empty())
    return;
  const auto prescribed = boundaries.dirichlet(space.triangulation());
  for (const auto id : ids)
    require(prescribed.count(id) > 0, key, " has boundary ", id, ", where ", boundaries.key("Boundary values"),
            " prescribes no values");
  for (const auto &of_boundary : prescribed)
    {
      const auto id = of_boundary.first;
      make_boundary(id, gathered(space.communicator(), integrate(id, mapping, diffusion)), mapping);
      for (const auto &[row, k] : of[id].number)
        size[row] += of[id].sizes[k];
    }
  const auto meets = [&](const Slope &slope) {
    const Unknown row = space.partition().local_to_global(slope.row);
    const auto   &on  = of.at(slope.id);
    return on.sizes[on.number.at(row)] < (1. - 1e-10) * size.at(row);
  };
  slopes.erase(std::partition(slopes.begin(), slopes.end(), meets), slopes.end());
}

// Returns row, column and value of the mass matrix's parts, one after the other, and adds to `slopes`.
template <int dim>
std::vector<double> LocalFluxes<dim>::integrate(unsigned int id, const dealii::Mapping<dim> &mapping, double diffusion)
{
  const int                 n = space->dofs_per_cell();
  dealii::FEFaceValues<dim> values(mapping, space->element(), dealii::QGauss<dim - 1>(space->element().degree + 1),
                                   dealii::update_values | dealii::update_gradients | dealii::update_normal_vectors |
                                     dealii::update_JxW_values);
  std::vector<double>       entries;
  for (int c = 0; c < space->n_cells(); ++c)
    {
      const typename dealii::Triangulation<dim>::cell_iterator cell = space->active_cells()[c];
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f) && boundary_id(cell->face(f)) == id)
          {
            values.reinit(cell, f);
            std::vector<double> mass(n * n), slope(n * n);
            for (const unsigned int q : values.quadrature_point_indices())
              for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                  {
                    const double phi = values.shape_value(i, q) * values.JxW(q);
                    mass[i * n + j] += phi * values.shape_value(j, q);
                    slope[i * n + j] += phi * diffusion * (values.shape_grad(j, q) * values.normal_vector(q));
                  }
            for_each_row_of_cell(*space, c, [&](int i, int row, double w) {
              if (!space->element().has_support_on_face(i, f))
                return;
              const auto global = space->partition().local_to_global(row);
              for (int j = 0; j < n; ++j)
                slopes.push_back({id, row, space->cell_dofs(c)[j], w * slope[i * n + j]});
              for_each_row_of_cell(*space, c, [&](int j, int column, double w_j) {
                if (space->element().has_support_on_face(j, f))
                  entries.insert(entries.end(), {double(global), double(space->partition().local_to_global(column)),
                                                 w * w_j * mass[i * n + j]});
              });
            });
          }
    }
  return entries;
}

template <int dim>
void LocalFluxes<dim>::make_boundary(unsigned int id, const std::vector<double> &entries,
                                     const dealii::Mapping<dim> &mapping)
{
  Boundary &on = of[id];
  for (std::size_t k = 0; k < entries.size(); k += 3)
    on.number.emplace(static_cast<Unknown>(entries[k]), 0);
  int n = 0;
  for (auto &row : on.number)
    row.second = n++;
  dealii::DynamicSparsityPattern places(n);
  for (std::size_t k = 0; k < entries.size(); k += 3)
    places.add(on.number.at(static_cast<Unknown>(entries[k])), on.number.at(static_cast<Unknown>(entries[k + 1])));
  const auto pattern = std::make_shared<dealii::SparsityPattern>();
  pattern->copy_from(places);
  on.pattern = pattern;
  on.mass    = std::make_shared<dealii::SparseMatrix<double>>(*pattern);
  on.sizes.resize(n, 0.);
  for (std::size_t k = 0; k < entries.size(); k += 3)
    {
      const int row = on.number.at(static_cast<Unknown>(entries[k]));
      on.mass->add(row, on.number.at(static_cast<Unknown>(entries[k + 1])), entries[k + 2]);
      on.sizes[row] += entries[k + 2];
    }
  // The nodes of all ranks: coordinates, the number of rows, and rows with weights.
  const auto          is_on = space->on_boundary(id);
  Array<int>          dofs;
  std::vector<double> own;
  for (int i = 0; i < space->n_owned(); ++i)
    if (is_on[i] != 0)
      dofs.push_back(i);
  const auto points = support_points(*space, mapping, dofs);
  for (std::size_t k = 0; k < dofs.size(); ++k)
    {
      for (int d = 0; d < dim; ++d)
        own.push_back(points[d * dofs.size() + k]);
      const auto &H     = space->H;
      const auto  first = H.row_start[dofs[k]], end = H.row_start[dofs[k] + 1];
      own.push_back(static_cast<double>(end - first));
      for (auto e = first; e < end; ++e)
        own.insert(own.end(), {double(space->partition().local_to_global(H.column[e])), H.value[e]});
    }
  const auto all = gathered(space->communicator(), own);
  for (std::size_t k = 0; k < all.size();)
    {
      Node node;
      for (int d = 0; d < dim; ++d)
        node.point[d] = all[k++];
      for (int left = static_cast<int>(all[k++]); left > 0; --left, k += 2)
        node.of_rows.emplace_back(static_cast<Unknown>(all[k]), all[k + 1]);
      on.nodes.push_back(node);
    }
  std::sort(on.nodes.begin(), on.nodes.end(), [](const Node &a, const Node &b) {
    return std::lexicographical_compare(&a.point[0], &a.point[0] + dim, &b.point[0], &b.point[0] + dim);
  });
}

template <int dim>
std::map<unsigned int, std::vector<NodalFlux<dim>>> LocalFluxes<dim>::operator()(const double *r, const double *u) const
{
  std::map<unsigned int, std::vector<NodalFlux<dim>>> result;
  if (wanted.empty())
    return result;
  const auto         &ranks = space->communicator();
  const auto          local = space->local_values(u);
  std::vector<double> own; // residuals: 0, row, value; parts of slopes: id + 1, row, value
  for (const auto &[row, all] : size)
    if (space->partition().in_local_range(row))
      own.insert(own.end(), {0., double(row), r[space->partition().global_to_local(row)]});
  for (const auto &slope : slopes)
    own.insert(own.end(),
               {slope.id + 1., double(space->partition().local_to_global(slope.row)), slope.weight * local[slope.dof]});
  std::map<unsigned int, std::map<Unknown, double>> parts; // parts[0]: what the boundaries share
  const auto                                        all = gathered(ranks, own);
  for (std::size_t k = 0; k < all.size(); k += 3)
    {
      parts[static_cast<unsigned int>(all[k])][static_cast<Unknown>(all[k + 1])] += all[k + 2];
      if (all[k] > 0.)
        parts[0][static_cast<Unknown>(all[k + 1])] -= all[k + 2];
    }
  for (const auto id : wanted)
    {
      const Boundary        &on = of.at(id);
      dealii::Vector<double> b(on.number.size()), q(on.number.size());
      for (const auto &[row, k] : on.number)
        b[k] = on.sizes[k] / size.at(row) * parts[0][row] + parts[id + 1][row];
      dealii::PreconditionJacobi<dealii::SparseMatrix<double>> jacobi;
      jacobi.initialize(*on.mass);
      dealii::SolverControl control(1000, 1e-13 * b.l2_norm());
      dealii::SolverCG<dealii::Vector<double>>(control).solve(*on.mass, q, b, jacobi);
      for (const auto &node : on.nodes)
        {
          double flux = 0.;
          for (const auto &[row, weight] : node.of_rows)
            flux += weight * q[on.number.at(row)];
          result[id].push_back({node.point, flux});
        }
    }
  return result;
}

template class LocalFluxes<2>;
template class LocalFluxes<3>;
} // namespace adamant
