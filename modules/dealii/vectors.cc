#include "dealii/vectors.h"

#include "algebra/functors/vector_functors.h"
#include "base/exceptions.h"
#include "dealii/ranks.h"
#include "fem/dealii_trilinos.h"

#ifdef ADAMANT_DEALII_HAS_EPETRA
#include <deal.II/lac/trilinos_vector.h>
#endif
#ifdef DEAL_II_WITH_PETSC
#include <deal.II/lac/petsc_vector.h>
#endif

#include <algorithm>
#include <string>

namespace adamant
{
#ifdef ADAMANT_DEALII_HAS_EPETRA
// A vector with ghosts has all entries by ascending numbers, so that the own ones do not come first.
const double *own_values(const dealii::TrilinosWrappers::MPI::Vector &vector, Array<double> &buffer)
{
  if (!vector.has_ghost_elements())
    return vector.trilinos_vector()[0];
  buffer.clear();
  for (const auto i : vector.locally_owned_elements())
    buffer.push_back(vector(i));
  return buffer.data();
}

void write(const double *values, dealii::TrilinosWrappers::MPI::Vector &vector)
{
  if (vector.has_ghost_elements())
    throw RunError("multigrid for deal.II's vectors: the result cannot be written to a vector with ghosts");
  std::copy_n(values, vector.locally_owned_size(), vector.begin());
}
#endif

#ifdef DEAL_II_WITH_PETSC
const double *own_values(const dealii::PETScWrappers::MPI::Vector &vector, Array<double> &buffer)
{
  const Vec          petsc  = vector;
  const PetscScalar *values = nullptr;
  if (VecGetArrayRead(petsc, &values) != 0)
    throw RunError("multigrid for deal.II's vectors: PETSc's VecGetArrayRead failed");
  buffer.resize(vector.locally_owned_size());
  std::transform(values, values + buffer.size(), buffer.begin(), [](PetscScalar v) { return PetscRealPart(v); });
  VecRestoreArrayRead(petsc, &values);
  return buffer.data();
}

void write(const double *values, dealii::PETScWrappers::MPI::Vector &vector)
{
  if (vector.has_ghost_elements())
    throw RunError("multigrid for deal.II's vectors: the result cannot be written to a vector with ghosts");
  const Vec    petsc = vector;
  PetscScalar *to    = nullptr;
  if (VecGetArray(petsc, &to) != 0)
    throw RunError("multigrid for deal.II's vectors: PETSc's VecGetArray failed");
  std::copy_n(values, vector.locally_owned_size(), to);
  VecRestoreArray(petsc, &to);
}
#endif

DealiiVectors::DealiiVectors(const Device &device, const Array<int> &number, const Array<char> &is_constrained,
                             const dealii::IndexSet &owned)
  : device(device)
  , owned(owned)
{
  Array<int> rows = number, entries(is_constrained.size(), -1);
  for (int k = 0; k < static_cast<int>(rows.size()); ++k)
    if (is_constrained[rows[k]] != 0)
      {
        constrained.push_back({k, rows[k], 1.});
        rows[k] = -1;
      }
    else
      entries[rows[k]] = k;
  entry = List<int>(device, entries);
  row   = List<int>(device, rows);
  if (device.traits().separate_memory)
    on_device = Vector<double>(device, row.size());
}

void DealiiVectors::set_diagonal(const Array<double> &d)
{
  for (auto &c : constrained)
    c.scaling = d[c.number] != 0. ? 1. / d[c.number] : 1.;
}

std::string DealiiVectors::complaint(const dealii::IndexSet &entries) const
{
  if (entries.size() != owned.size())
    return "multigrid for deal.II's vectors: the vector has " + std::to_string(entries.size()) +
           " entries, but the matrix has " + std::to_string(owned.size()) + " rows; was the mesh refined?";
  if (entries != owned)
    return "multigrid for deal.II's vectors: the vector has other entries on a rank than the matrix has rows, " +
           std::to_string(entries.n_elements()) + " and " + std::to_string(owned.n_elements()) +
           "; make it with DoFHandler::locally_owned_dofs()";
  return "";
}

void DealiiVectors::check(const Communicator &ranks, const dealii::IndexSet &one, const dealii::IndexSet &other) const
{
  agreed(ranks, [&] {
    for (const auto *entries : {&one, &other})
      if (const auto text = complaint(*entries); !text.empty())
        throw RunError(text);
  });
}

void DealiiVectors::take(const double *source, Vector<double> &x) const
{
  const double *from = source;
  if (device.traits().separate_memory)
    {
      on_device.upload(source);
      from = on_device.data();
    }
  device.for_each(x.size(), Gather<double, double>{entry.data(), from, x.data()});
}

void DealiiVectors::give(const Vector<double> &x, const double *rhs, double *target) const
{
  double *to = device.traits().separate_memory ? on_device.data() : target;
  device.for_each(row.size(), Gather<double, double>{row.data(), x.data(), to});
  if (device.traits().separate_memory)
    on_device.download(target);
  for (const auto &c : constrained)
    target[c.entry] = c.scaling * rhs[c.entry];
}
} // namespace adamant
