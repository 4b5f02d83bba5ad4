#pragma once

#include "discretization/fields/level_space.h"
#include "discretization/forms/assembly.h"
#include "discretization/meshes/level_meshes.h"
#include "multigrid/level_data.h"

#include <deal.II/fe/mapping_q1.h>

#include <memory>
#include <vector>

namespace adamant
{
/// The multigrid hierarchy of a finite element on an adaptive mesh: level meshes by global coarsening, their spaces, the
/// transfer between them, and the export of the level matrices. Level 0 is the coarsest.
template <int dim>
class Hierarchy
{
public:
  /// `mesh` (serial, or of p4est) has to outlive the hierarchy and must not be refined meanwhile. Coarsening ends at `coarsest_cells`
  /// cells; finest_level_only makes no coarser level. Node blocks of the level data are as large as the element has components. Of
  /// several ranks those take part in a coarser level that have at least `cells_per_rank` cells each, and in
  /// the coarsest the first alone, as its dense inverse needs, unless coarsest_on_one_rank is false.
  Hierarchy(dealii::Triangulation<dim> &mesh, const dealii::FiniteElement<dim> &fe, const DirichletBoundary &dirichlet,
            unsigned int coarsest_cells, unsigned int cells_per_rank = 1000, bool coarsest_on_one_rank = true);

  std::size_t            n_levels() const { return spaces.size(); }
  const LevelSpace<dim> &space(std::size_t level) const { return *spaces[level]; }
  const LevelSpace<dim> &finest() const { return *spaces.back(); }

  /// The level matrices and the transfer, ready for Multigrid. `data` may be changed by `assemble` only.
  const std::vector<LevelData> &data() const { return level_data; }

  /// Assembles the system matrices of all levels, local[0] of the assembler; the patterns are built at the first call.
  /// Returns the further matrices that `extra` names, of the finest level only: there the assembler finds them as
  /// local[1], local[2], ...; on the other levels local has one entry.
  std::vector<CSRMatrix<double>> assemble(const dealii::Mapping<dim>    &mapping,
                                          const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags,
                                          const CellAssembler<dim>   &cell_assembler,
                                          const std::vector<Columns> &extra = {});

private:
  bool                               is_distributed() const; // over several ranks
  std::shared_ptr<const Partitioner> numbers_of_columns(Columns kind, std::size_t n_q) const;

  std::vector<LevelMesh<dim>>                   meshes;
  std::vector<std::unique_ptr<LevelSpace<dim>>> spaces;
  std::vector<std::unique_ptr<Assembly<dim>>>   assemblies; // of the system matrices, for new values
  std::vector<LevelData>                        level_data;
};
} // namespace adamant
