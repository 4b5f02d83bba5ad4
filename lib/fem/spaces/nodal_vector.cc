#include "fem/spaces/nodal_vector.h"

#include <deal.II/base/index_set.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/numerics/vector_tools.h>

#include <algorithm>

namespace adamant
{
namespace
{
template <int dim>
dealii::IndexSet relevant_dofs(const dealii::DoFHandler<dim> &dofs)
{
  dealii::IndexSet relevant = dofs.locally_owned_dofs();
  if (relevant.n_elements() < dofs.n_dofs())
    dealii::DoFTools::extract_locally_relevant_dofs(dofs, relevant);
  return relevant;
}
} // namespace

template <int dim>
NodalVector nodal_vector(const dealii::DoFHandler<dim> &dofs)
{
  return NodalVector(dofs.locally_owned_dofs(), relevant_dofs(dofs), dofs.get_communicator());
}

template <int dim>
NodalVector interpolate(const dealii::Mapping<dim> &mapping, const dealii::DoFHandler<dim> &dofs,
                        const dealii::Function<dim> &function)
{
  NodalVector values = nodal_vector(dofs);
  dealii::VectorTools::interpolate(mapping, dofs, function, values);
  dealii::AffineConstraints<double> hanging_nodes(relevant_dofs(dofs));
  dealii::DoFTools::make_hanging_node_constraints(dofs, hanging_nodes);
  hanging_nodes.close();
  hanging_nodes.distribute(values);
  values.update_ghost_values();
  return values;
}

template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space)
{
  if (space.communicator().size() > 1)
    return nodal_vector(space.dof_handler());
  return NodalVector(space.partition().locally_owned_range(), space.partition().get_mpi_communicator());
}

template <int dim>
NodalVector nodal_vector(const LevelSpace<dim> &space, const double *owned)
{
  NodalVector values = nodal_vector(space);
  std::copy_n(owned, space.n_owned(), values.begin());
  values.update_ghost_values();
  return values;
}

template NodalVector interpolate(const dealii::Mapping<2> &, const dealii::DoFHandler<2> &,
                                 const dealii::Function<2> &);
template NodalVector interpolate(const dealii::Mapping<3> &, const dealii::DoFHandler<3> &,
                                 const dealii::Function<3> &);
template NodalVector nodal_vector(const dealii::DoFHandler<2> &);
template NodalVector nodal_vector(const dealii::DoFHandler<3> &);
template NodalVector nodal_vector(const LevelSpace<2> &);
template NodalVector nodal_vector(const LevelSpace<3> &);
template NodalVector nodal_vector(const LevelSpace<2> &, const double *);
template NodalVector nodal_vector(const LevelSpace<3> &, const double *);
} // namespace adamant
