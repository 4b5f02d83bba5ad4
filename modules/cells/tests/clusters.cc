// Clusters have each node once, and their tables make the product by rows.

#include "cell_meshes.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace adamant;
using namespace adamant::test;

// All nodes are in one cluster, and tables are shared: a uniform mesh has clusters of few kinds.
TEST(Clusters, HaveEachNodeOnceAndShareTables)
{
  for (const char *const name : {"face", "edge", "ball", "uniform tree", "squares"})
    {
      const CellMesh mesh = mesh_named(name);
      for (const int most_values : {4000, Clusters::few_values, Clusters::most_values})
        {
          const Clusters   clusters = make_clusters(mesh, most_values);
          std::vector<int> own;
          for (const auto &cluster : clusters.cluster)
            {
              EXPECT_LE(Clusters::n_values(mesh, cluster.shape), most_values) << name;
              EXPECT_EQ(cluster.slot, static_cast<int>(own.size())) << name;
              for (int i = 0; i < cluster.shape.n_own; ++i)
                own.push_back(static_cast<int>(clusters.node[cluster.node + i] >> 3));
            }
          std::sort(own.begin(), own.end());
          ASSERT_EQ(own.size(), static_cast<std::size_t>(mesh.n_nodes())) << name;
          for (int node = 0; node < mesh.n_nodes(); ++node)
            ASSERT_EQ(own[node], node) << name;
        }
    }
  const CellMesh mesh     = tree_of({{33, 33, 33}}, 0, [](const auto &, int) { return false; });
  const Clusters clusters = make_clusters(mesh);
  std::set<int>  shapes;
  for (const auto &cluster : clusters.cluster)
    shapes.insert(cluster.shape.vertices);
  EXPECT_LT(shapes.size(), 0.7 * clusters.cluster.size());
}

// What a GPU's kernel does with the tables of clusters gives the product by rows.
TEST(Clusters, TablesMakeTheProduct)
{
  const Device device = Device::host(1);
  for (const char *const name : {"face", "edge", "ball, small clusters", "squares", "squares, scalar", "ball, scalar"})
    {
      const CellMatrix   matrix   = random_matrix(device, name, 4);
      const CellMesh    &mesh     = matrix.mesh();
      const Clusters     clusters = make_clusters(mesh, 4000);
      const auto         rows     = matrix.rows();
      const auto         k        = to_host(matrix.coefficients());
      const Values       x        = random_values(rows.n_rows, 5);
      Values             y(x.size(), 0.);
      const int          nc = mesh.n_components, n = mesh.n_rows();
      const ClustersView view{mesh.n_vertices(),       static_cast<int>(clusters.cluster.size()),
                              clusters.n_inner,        4000,
                              clusters.cluster.data(), clusters.tables.data(),
                              clusters.node.data(),    clusters.cell.data()};
      for (const Cluster &cluster : clusters.cluster)
        for (int c = 0; c < nc; ++c)
          {
            const ClusterShape &of = cluster.shape;
            Array<double>       value(of.n_local(), 0.);
            const auto          entry = [&](int i) { return clusters.node[cluster.node + i]; };
            for (int i = 0; i < of.n_nodes; ++i)
              value[i] = entry(i) >> c & 1 ? 0. : x[nc * (entry(i) >> 3) + c];
            for (int h = 0; h < of.n_hanging; ++h)
              for (int part = 0; part < of.n_parts; ++part)
                for (int j = 0; j < 4; ++j)
                  if (const Eight &of_h = clusters.tables[of.masters + part * of.n_hanging + h]; of_h.number[4 + j] > 0)
                    value[of.n_nodes + h] += of_h.number[4 + j] / 4096. * value[of_h.number[j]];
            for (int i = 0; i < of.n_own; ++i)
              view.for_each_term(of, i, [&](int a, int cell, double weight) {
                for (int b = 0; b < mesh.n_vertices(); ++b)
                  for (int d = 0; d < nc; ++d)
                    y[nc * (entry(i) >> 3) + d] += weight * k[clusters.cell[cluster.cell + cell]] *
                                                   mesh.local[(nc * a + d) * n + nc * b + c] *
                                                   value[clusters.tables[of.vertices + cell].number[b]];
              });
          }
      for (int i = 0; i < rows.n_rows; ++i)
        if ((mesh.fixed[i / nc] >> i % nc & 1) == 0)
          {
            double expected = 0., largest = 0.;
            for (auto at = rows.row_start[i]; at < rows.row_start[i + 1]; ++at)
              {
                expected += rows.value[at] * x[rows.column[at]];
                largest = std::max(largest, std::abs(rows.value[at] * x[rows.column[at]]));
              }
            ASSERT_NEAR(y[i], expected, 1e-13 * largest) << name << ", row " << i;
          }
    }
}
