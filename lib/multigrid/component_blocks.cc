#include "multigrid/component_blocks.h"

#include "algebra/functors/vector_functors.h"
#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "operators/device_level.h"

#include <string>
#include <utility>

namespace adamant
{
namespace
{
// A square block; over ranks its matrix has columns for ghosts, too, which vectors do not.
class SquareOperator : public MatrixOperator
{
public:
  using MatrixOperator::MatrixOperator;
  int n_cols() const override { return n_rows(); }
};
} // namespace

ComponentLevels::ComponentLevels(const std::vector<LevelData> &levels, int component)
  : component(component)
{
  for (const auto &level : levels)
    {
      const auto block = [&](const CSRMatrix<double> &A) {
        return std::make_shared<CSRMatrix<double>>(component_block(A, level.node_size, component, component));
      };
      matrices.push_back(block(matrix_on_host(level)));
      const bool coarsest = level.prolongation == nullptr;
      data.push_back({matrices.back(), coarsest ? nullptr : block(*level.prolongation),
                      coarsest ? nullptr : block(*level.restriction)});
    }
}

void ComponentLevels::update(const std::vector<LevelData> &levels)
{
  for (std::size_t l = 0; l < levels.size(); ++l)
    matrices[l]->value = component_block(matrix_on_host(levels[l]), levels[l].node_size, component, component).value;
}

ComponentBlocks::ComponentBlocks(const Device &device, const std::vector<LevelData> &levels, Precision precision,
                                 const MultigridOptions &options, Sweep sweep, double omega)
  : device(device)
  , levels(levels)
  , m(levels.back().node_size)
  , omega(omega)
{
  if (m < 2)
    throw InputError("component_blocks: the system has one component; take multigrid");
  if (!(omega > 0. && omega < 2.))
    throw InputError("component_blocks: omega = " + std::to_string(omega) + " has to be between 0 and 2");
  const auto                    A = matrix_on_host(levels.back());
  std::vector<Preconditioner *> diagonal;
  for (int c = 0; c < m; ++c)
    {
      components.emplace_back(levels, c);
      cycles.push_back(make_multigrid(device, components[c].data, precision, options));
      diagonal.push_back(cycles[c].get());
    }
  BlockOperator::Rows rows(m, std::vector<const LinearOperator *>(m, nullptr));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j)
      if (i != j && (sweep == Sweep::symmetric || sweep == (j < i ? Sweep::lower : Sweep::upper)))
        {
          couplings.push_back({i, j, Matrix<double>(device, component_block(A, m, i, j))});
          operators.push_back(std::make_unique<SquareOperator>(couplings.back().matrix, device));
          rows[i][j] = operators.back().get();
        }
  blocks.emplace(std::move(rows), Blocks(std::vector<int>(m, A.n_rows / m)));
  triangular.emplace(device, *blocks, std::move(diagonal), sweep);
  for (Vector<double> *vector : {&v_by_components, &z_by_components})
    *vector = Vector<double>(device, A.n_rows);
}

void ComponentBlocks::vmult(const Vector<double> &v, Vector<double> &z) const
{
  const int n = v.size();
  device.for_each(n, ToComponents{n / m, m, v.data(), v_by_components.data()});
  triangular->vmult(v_by_components, z_by_components);
  device.for_each(n, ToNodes{n / m, m, omega, z_by_components.data(), z.data()});
}

void ComponentBlocks::print(std::ostream &out) const
{
  for (int c = 0; c < m; ++c)
    {
      out << " component " << c << ":\n";
      cycles[c]->print(out);
    }
}

void ComponentBlocks::update()
{
  for (auto &component : components)
    component.update(levels);
  const auto A = matrix_on_host(levels.back());
  for (auto &coupling : couplings)
    coupling.matrix.update(component_block(A, m, coupling.row, coupling.column));
  triangular->update();
}
} // namespace adamant
