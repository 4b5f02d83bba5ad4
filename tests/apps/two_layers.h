#pragma once

#include "program.h"

#include <string>
#include <utility>

/// Returns a mesh in Gmsh's format: the unit square, oil below y = 1/2 and water above, of 2 x 2 cells. Its boundaries
/// are left, right, bottom and top, with the ids 1 to 4.
inline std::string two_layers()
{
  std::string nodes, faces, cells;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x)
      nodes += std::to_string(3 * y + x + 1) + " " + std::to_string(0.5 * x) + " " + std::to_string(0.5 * y) + " 0\n";
  int        n    = 0;
  const auto face = [&](int id, int a, int b) {
    faces +=
      std::to_string(++n) + " 1 2 " + std::to_string(id) + " 1 " + std::to_string(a) + " " + std::to_string(b) + "\n";
  };
  for (int k = 0; k < 2; ++k)
    {
      face(1, 3 * k + 1, 3 * k + 4);
      face(2, 3 * k + 3, 3 * k + 6);
      face(3, k + 1, k + 2);
      face(4, k + 7, k + 8);
    }
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 2; ++x)
      {
        cells += std::to_string(++n) + " 3 2 " + std::to_string(5 + y) + " 1";
        for (const int node : {0, 1, 4, 3})
          cells += " " + std::to_string(3 * y + x + node + 1);
        cells += "\n";
      }
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n6\n1 1 \"left\"\n1 2 \"right\"\n1 3 \"bottom\"\n1 4 "
         "\"top\"\n"
         "2 5 \"oil\"\n2 6 \"water\"\n$EndPhysicalNames\n$Nodes\n9\n" +
         nodes + "$EndNodes\n$Elements\n" + std::to_string(n) + "\n" + faces + cells + "$EndElements\n";
}

/// Runs a program, which is a Program or a RestartedProgram, on this mesh in its folder: layers.msh.
template <class Base>
class OnTwoLayers : public Base
{
protected:
  OnTwoLayers(const std::string &executable, Settings on_layers)
    : Base(executable)
    , on_layers(std::move(on_layers))
  {
    this->write("layers.msh", two_layers());
  }

  void expect_list_refused(const Settings &common, const std::string &list, const std::string &message)
  {
    this->expect_refused(on_layers + common + Settings{list}, message);
  }

private:
  Settings on_layers;
};
