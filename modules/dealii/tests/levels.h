#pragma once

#include "dealii/matrix_levels.h"
#include "operators/device_level.h"
#include "programs.h"

#include <algorithm>
#include <cmath>

namespace test
{
/// Returns the levels for a program, with the values of all levels but the coarsest one on the device, or with all
/// values on the host.
template <class Program>
adamant::MatrixLevels levels_of(const Program &program, const adamant::MatrixRows &rows, unsigned int coarsest_cells,
                                const adamant::Device &device = adamant::Device::host(1), bool on_device = false)
{
  adamant::Array<char> kinds;
  auto hierarchy = adamant::dof_hierarchy(program.dofs, ComponentMask(), coarsest_cells, &program.constraints, kinds);
  return {device, on_device, std::move(hierarchy), kinds, rows};
}

/// Expects that levels on a device and on the host have equal values, made and updated, and the same bits again.
template <int dim, class Program, class Mesh>
void expect_equal_levels(const FiniteElement<dim> &fe, const adamant::Device &device)
{
  SCOPED_TRACE(fe.get_name());
  Mesh mesh;
  if (mesh.n_levels() < 2)
    make_mesh(mesh);
  Program program(mesh, fe);
  program.make();
  auto       on_host   = levels_of(program, adamant::matrix_rows(program.matrix), 16);
  auto       on_device = levels_of(program, adamant::matrix_rows(program.matrix), 16, device, true);
  const auto compare   = [&] {
    ASSERT_EQ(on_host.levels().size(), on_device.levels().size());
    for (std::size_t l = on_host.levels().size(); l-- > 0;)
      {
        EXPECT_EQ(on_device.levels()[l].changing() != nullptr, l > 0);
        const auto &expected = on_host.levels()[l].matrix();
        const auto  found    = adamant::matrix_on_host(on_device.levels()[l]);
        double      largest = 0., difference = 0.;
        ASSERT_EQ(expected.column, found.column);
        for (std::size_t k = 0; k < expected.value.size(); ++k)
          {
            largest    = std::max(largest, std::abs(expected.value[k]));
            difference = std::max(difference, std::abs(expected.value[k] - found.value[k]));
          }
        EXPECT_LE(difference, 1e-14 * largest) << "level " << l;
      }
  };
  compare();
  const auto    before = adamant::matrix_on_host(on_device.levels()[1]).value;
  Equation<dim> other;
  other.mass = 2.;
  other.a    = [](const Point<dim> &p) { return 1. + p[0]; };
  for (int update = 0; update < 2; ++update) // the second one finds everything on the device
    {
      program.assemble(update == 0 ? Equation<dim>() : other);
      EXPECT_TRUE(on_host.update(adamant::matrix_rows(program.matrix)));
      EXPECT_TRUE(on_device.update(adamant::matrix_rows(program.matrix)));
      compare();
    }
  const auto after = adamant::matrix_on_host(on_device.levels()[1]).value;
  EXPECT_TRUE(before != after || before.empty()); // a rank without rows
  EXPECT_TRUE(on_device.update(adamant::matrix_rows(program.matrix)));
  EXPECT_EQ(adamant::matrix_on_host(on_device.levels()[1]).value, after);
}
} // namespace test
