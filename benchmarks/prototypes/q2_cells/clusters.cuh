// clusters: any mesh of cubes with hanging nodes, by tables
typedef unsigned short u16;
struct Head { int node0, n_nodes, cell0, n_cells, table, res0, n_res, own_cells; };
struct Table { int ids, hs, hm, hw, cs, cp, rs, rp, ws, wh, ww, n_hang; };
struct ClusterView { const Head *heads; const Table *tables; const u16 *data; const unsigned *nodes, *results; const int *cells; int NP; };
template <int c, class T, int CT> __device__ __forceinline__ void team_modes(const Modes<T> &K, T e, T (&v)[27], T *exchange, int t, int group) {
#pragma unroll
  for (int r = 0; r < 9; ++r) mode_line(v[3 * r], v[3 * r + 1], v[3 * r + 2]);
#pragma unroll
  for (int r = 0; r < 9; ++r) { const int b = r / 3 * 9 + r % 3; mode_line(v[b], v[b + 3], v[b + 6]); }
#pragma unroll
  for (int r = 0; r < 9; ++r) mode_line(v[r], v[r + 9], v[r + 18]);
  each<27>([&](auto im) { constexpr int m = im; if constexpr (is_sent(c, m)) { constexpr int at = c * 16 + slot(c, m); exchange[at * CT + t] = v[m]; } });
  sync_team(group);
  each<27>([&](auto im) {
    constexpr int m = im; T q = m == 0 ? T(0) : DIAG(c, m) * v[m];
    each<3>([&](auto id) { constexpr int d = id; if constexpr (couples(c, d, m)) { constexpr int at = d * 16 + slot(d, partner(c, d, m)); q += OFF(c, d, m) * exchange[at * CT + t]; } });
    v[m] = q * e;
  });
#pragma unroll
  for (int r = 0; r < 9; ++r) node_line(v[r], v[r + 9], v[r + 18]);
#pragma unroll
  for (int r = 0; r < 9; ++r) { const int b = r / 3 * 9 + r % 3; node_line(v[b], v[b + 3], v[b + 6]); }
#pragma unroll
  for (int r = 0; r < 9; ++r) node_line(v[3 * r], v[3 * r + 1], v[3 * r + 2]);
}
template <class T, int CT, int B, class F>
__global__ void __launch_bounds__(3 * CT, B) cluster(const ClusterView V, const __grid_constant__ Modes<T> K, const T *eta, const T *x, T *partial, const F finish) {
  constexpr int NT = 3 * CT, CP = CT + 5;
  extern __shared__ char memory[];
  T *S = reinterpret_cast<T *>(memory), *E = S + 81 * CP, *values = E + 48 * CT;
  const Head h = V.heads[blockIdx.x]; const Table tb = V.tables[h.table]; const u16 *D = V.data; const int NP = V.NP;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, group = warp / 3, c = warp % 3, t = group * 32 + lane; const bool here = t < h.n_cells;
#pragma unroll 4
  for (int i = threadIdx.x; i < h.n_nodes; i += NT) {
    const unsigned entry = V.nodes[h.node0 + i]; const T *from = x + 3 * (entry >> 3);
#pragma unroll
    for (int d = 0; d < 3; ++d) values[d * NP + i] = entry >> d & 1 ? T(0) : from[d];
  }
  u16 id[27]; T e = 0;
  if (here) {
    e = eta[V.cells[h.cell0 + t]];
#pragma unroll
    for (int a = 0; a < 27; ++a) id[a] = D[tb.ids + a * h.n_cells + t];
  }
  __syncthreads();
  if (tb.n_hang) {
    for (int k = threadIdx.x; k < tb.n_hang; k += NT) {
      T s0 = 0, s1 = 0, s2 = 0;
      for (int r = D[tb.hs + k]; r < D[tb.hs + k + 1]; ++r) { const T w = T(short(D[tb.hw + r])) * T(1. / 4096); const T *p = values + D[tb.hm + r]; s0 += w * p[0]; s1 += w * p[NP]; s2 += w * p[2 * NP]; }
      T *q = values + h.n_nodes + k; q[0] = s0; q[NP] = s1; q[2 * NP] = s2;
    }
    __syncthreads();
  }
  T v[27];
#pragma unroll
  for (int a = 0; a < 27; ++a) v[a] = here ? values[c * NP + id[a]] : T(0);
  if (c == 0) team_modes<0, T, CT>(K, e, v, E, t, group); else if (c == 1) team_modes<1, T, CT>(K, e, v, E, t, group); else team_modes<2, T, CT>(K, e, v, E, t, group);
#pragma unroll
  for (int a = 0; a < 27; ++a) S[(c * 27 + a) * CP + t] = v[a];
  __syncthreads();
  if (tb.n_hang) {
    for (int k = threadIdx.x; k < tb.n_hang; k += NT) {
      T s0 = 0, s1 = 0, s2 = 0;
      for (int r = D[tb.cs + k]; r < D[tb.cs + k + 1]; ++r) { const T *p = S + D[tb.cp + r]; s0 += p[0]; s1 += p[27 * CP]; s2 += p[54 * CP]; }
      T *q = values + h.n_nodes + k; q[0] = s0; q[NP] = s1; q[2 * NP] = s2;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < h.n_res; i += NT) {
    const unsigned entry = V.results[h.res0 + i]; typename F::Operands o[3]; const int node = entry >> 3 & 0xfffffff; const bool part = entry >> 31;
    if (!part)
#pragma unroll
      for (int d = 0; d < 3; ++d) finish.fetch(3 * node + d, o[d]);
    T s[3] = {};
    for (int r = D[tb.rs + i], end = D[tb.rs + i + 1]; r < end; ++r) { const T *p = S + D[tb.rp + r]; s[0] += p[0]; s[1] += p[27 * CP]; s[2] += p[54 * CP]; }
    if (tb.n_hang) for (int r = D[tb.ws + i], end = D[tb.ws + i + 1]; r < end; ++r) { const T w = T(short(D[tb.ww + r])) * T(1. / 4096); const T *p = values + h.n_nodes + D[tb.wh + r]; s[0] += w * p[0]; s[1] += w * p[NP]; s[2] += w * p[2 * NP]; }
#pragma unroll
    for (int d = 0; d < 3; ++d) if (part) partial[3 * node + d] = s[d]; else finish(3 * node + d, s[d], entry >> d & 1, o[d]);
  }
}
template <class T, class F> __global__ void border(int n, const unsigned *entries, const int *start, const T *partial, const int *slots, const F finish) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return;
  const unsigned entry = entries[i]; const int node = entry >> 3; typename F::Operands o[3]; T s[3] = {};
#pragma unroll
  for (int d = 0; d < 3; ++d) finish.fetch(3 * node + d, o[d]);
  for (int r = start[i]; r < start[i + 1]; ++r) { const T *p = partial + 3 * slots[r]; s[0] += p[0]; s[1] += p[1]; s[2] += p[2]; }
#pragma unroll
  for (int d = 0; d < 3; ++d) finish(3 * node + d, s[d], entry >> d & 1, o[d]);
}
// ---------- host ----------
#include <chrono>
#include <map>
#include <unordered_map>
struct Mesh {
  typedef unsigned long long u64;
  int LF; struct Cell { int l, x, y, z; }; std::vector<Cell> cells; // corner in units of half a finest cell
  struct Range { int first, last, children[8]; }; std::vector<Range> tree;
  std::vector<std::array<int, 27>> nodes; int nn = 0; std::vector<std::vector<std::pair<int, double>>> masters; std::vector<std::array<int, 3>> at;
  int make(int l, int x, int y, int z, int base, bool face) {
    const int me = tree.size(); tree.push_back({}); const int side = 2 << (LF - l); const bool split = l < base || (face && l < LF && z == 0);
    tree[me].first = cells.size(); for (int k = 0; k < 8; ++k) { const int ch = split ? make(l + 1, x + (k & 1) * side / 2, y + (k >> 1 & 1) * side / 2, z + (k >> 2) * side / 2, base, face) : -1; tree[me].children[k] = ch; }
    if (!split) cells.push_back({l, x, y, z});
    tree[me].last = cells.size(); return me;
  }
  Mesh(int base, int LF) : LF(LF) {
    make(0, 0, 0, 0, base, LF > base); std::unordered_map<u64, int> id; id.reserve(cells.size() * 10); nodes.resize(cells.size());
    auto key = [](int x, int y, int z) { return u64(x) | u64(y) << 20 | u64(z) << 40; };
    for (size_t c = 0; c < cells.size(); ++c) { const int s = 1 << (LF - cells[c].l); for (int a = 0; a < 27; ++a) { const int X = cells[c].x + s * (a % 3), Y = cells[c].y + s * (a / 3 % 3), Z = cells[c].z + s * (a / 9);
      const auto r = id.emplace(key(X, Y, Z), nn); if (r.second) { ++nn; at.push_back({X, Y, Z}); } nodes[c][a] = r.first->second; } }
    masters.resize(nn); auto N = [](int a, int k) { const double t = k / 2. - 1; return a == 0 ? t * (t - 1) / 2 : a == 1 ? 1 - t * t : t * (t + 1) / 2; };
    for (size_t c = 0; c < cells.size(); ++c) if (cells[c].l < LF) { const int q = 1 << (LF - cells[c].l - 1);
      for (int p = 0; p < 125; ++p) { const int i = p % 5, j = p / 5 % 5, k = p / 25; if (!((i | j | k) & 1) || (i % 4 && j % 4 && k % 4)) continue;
        const auto f = id.find(key(cells[c].x + q * i, cells[c].y + q * j, cells[c].z + q * k)); if (f == id.end() || !masters[f->second].empty()) continue;
        for (int a = 0; a < 27; ++a) { const double w = N(a % 3, i) * N(a / 3 % 3, j) * N(a / 9, k); if (w != 0) masters[f->second].push_back({nodes[c][a], w}); } } }
    bool again = true; while (again) { again = false; for (auto &m : masters) { bool chain = false; for (auto &e : m) chain |= !masters[e.first].empty(); if (!chain) continue; again = true;
      std::map<int, double> s; for (auto &e : m) if (masters[e.first].empty()) s[e.first] += e.second; else for (auto &g : masters[e.first]) s[g.first] += e.second * g.second;
      m.clear(); for (auto &e : s) if (e.second != 0) m.push_back(e); } }
  }
};
template <class T> struct Clusters {
  ClusterView V; std::vector<Head> heads; std::vector<unsigned> nodes, results; std::vector<int> cells; std::vector<Table> tables; std::vector<u16> data;
  std::vector<unsigned> border_entries; std::vector<int> border_start{0}, border_slots; int n_partial = 0, NP = 0, CT; double seconds, taken = 0;
  unsigned *d_border; int *d_start, *d_slots; T *partial = nullptr;
  template <class A> static A *put(const std::vector<A> &v) { A *p; CK(cudaMalloc(&p, std::max<size_t>(1, v.size()) * sizeof(A))); CK(cudaMemcpy(p, v.data(), v.size() * sizeof(A), cudaMemcpyHostToDevice)); return p; }
  // number[node]: the number of the vectors, set by the first call's owners where empty
  Clusters(const Mesh &M, bool halo, int CT, std::vector<int> &number, const std::function<int(int)> &mask_of) : CT(CT) {
    const auto t0 = std::chrono::steady_clock::now(); const int nc = M.cells.size(), nn = M.nn, CP = CT + 5;
    std::vector<std::vector<int>> touch(nc); std::vector<int> last(nn, -1);
    for (int c = 0; c < nc; ++c) { auto &s = touch[c]; for (int n : M.nodes[c]) if (M.masters[n].empty()) s.push_back(n); else for (auto &e : M.masters[n]) s.push_back(e.first); std::sort(s.begin(), s.end()); s.erase(std::unique(s.begin(), s.end()), s.end()); for (int n : s) last[n] = c; for (int n : M.nodes[c]) if (!M.masters[n].empty()) last[n] = c; }
    std::vector<int> cs(nn + 1, 0); for (auto &s : touch) for (int n : s) ++cs[n + 1]; for (int n = 0; n < nn; ++n) cs[n + 1] += cs[n]; std::vector<int> cl(cs[nn]), pos(cs.begin(), cs.end() - 1); for (int c = 0; c < nc; ++c) for (int n : touch[c]) cl[pos[n]++] = c;
    std::vector<std::vector<int>> own_of_cell(nc); for (int n = 0; n < nn; ++n) own_of_cell[last[n]].push_back(n);
    std::vector<int> stamp(nc, -1); int mark = 0;
    auto need = [&](int a, int b) { std::vector<int> r; ++mark; for (int c = a; c < b; ++c) { if (!halo) { r.push_back(c); continue; } if (stamp[c] != mark) { stamp[c] = mark; r.push_back(c); } for (int n : own_of_cell[c]) if (M.masters[n].empty()) for (int k = cs[n]; k < cs[n + 1]; ++k) if (stamp[cl[k]] != mark) { stamp[cl[k]] = mark; r.push_back(cl[k]); } } return r; };
    std::vector<std::pair<int, int>> ranges; std::function<void(int)> split = [&](int t) { const auto &r = M.tree[t]; if (r.last - r.first <= CT && int(need(r.first, r.last).size()) <= CT) { if (!ranges.empty() && r.last - ranges.back().first <= CT && int(need(ranges.back().first, r.last).size()) <= CT) ranges.back().second = r.last; else ranges.push_back({r.first, r.last}); return; } for (int k : r.children) split(k); }; split(0);
    std::vector<int> cluster_of(nc); for (size_t k = 0; k < ranges.size(); ++k) for (int c = ranges[k].first; c < ranges[k].second; ++c) cluster_of[c] = k;
    std::vector<char> inner(nn, 1); if (!halo) for (int n = 0; n < nn; ++n) for (int k = cs[n]; k < cs[n + 1]; ++k) if (cluster_of[cl[k]] != cluster_of[last[n]]) inner[n] = 0;
    if (number.empty()) { number.resize(nn); int k = 0; for (auto &r : ranges) for (int pass = 3; pass >= 0; --pass) for (int c = r.first; c < r.second; ++c) for (int n : own_of_cell[c]) { const auto &x = M.at[n]; (void)x; const int kind = !M.masters[n].empty() ? 0 : cs[n + 1] - cs[n] >= 8 ? 3 : cs[n + 1] - cs[n] >= 4 ? 2 : 1; if (kind == pass) number[n] = k++; } }
    std::vector<std::vector<int>> slots(nn); std::map<std::string, int> known; std::vector<int> local(nn, -1), lstamp(nn, -1);
    for (size_t k = 0; k < ranges.size(); ++k) {
      auto taken_cells = need(ranges[k].first, ranges[k].second); std::sort(taken_cells.begin(), taken_cells.end()); const int m = taken_cells.size(); taken += m;
      std::vector<int> real, hang; for (int c : taken_cells) { for (int n : touch[c]) if (lstamp[n] != int(k)) { lstamp[n] = k; real.push_back(n); } for (int n : M.nodes[c]) if (!M.masters[n].empty() && lstamp[n] != int(k)) { lstamp[n] = k; hang.push_back(n); } }
      auto by_number = [&](int a, int b) { return number[a] < number[b]; }; std::sort(real.begin(), real.end(), by_number); std::sort(hang.begin(), hang.end(), by_number);
      for (size_t i = 0; i < real.size(); ++i) local[real[i]] = i; for (size_t i = 0; i < hang.size(); ++i) local[hang[i]] = real.size() + i;
      NP = std::max<int>(NP, real.size() + hang.size()); const int nh = hang.size();
      std::vector<std::vector<u16>> of(real.size() + nh); Table tb; std::vector<u16> w; auto mark_at = [&] { return int(w.size()); }; tb.ids = 0; tb.n_hang = nh;
      for (int a = 0; a < 27; ++a) for (int j = 0; j < m; ++j) { const int n = local[M.nodes[taken_cells[j]][a]]; w.push_back(n); of[n].push_back(a * CP + j); }
      auto csr = [&](int n, const std::function<std::vector<u16>(int)> &f, int &start, int &list) { start = mark_at(); std::vector<u16> all; w.push_back(0); for (int i = 0; i < n; ++i) { for (u16 q : f(i)) all.push_back(q); w.push_back(all.size()); } list = mark_at(); w.insert(w.end(), all.begin(), all.end()); };
      csr(nh, [&](int i) { std::vector<u16> r; for (auto &e : M.masters[hang[i]]) r.push_back(local[e.first]); return r; }, tb.hs, tb.hm);
      tb.hw = mark_at(); for (int n : hang) for (auto &e : M.masters[n]) { const double q = e.second * 4096; if (q != std::round(q)) { printf("weight\n"); exit(1); } w.push_back(u16(short(q))); }
      csr(nh, [&](int i) { return of[real.size() + i]; }, tb.cs, tb.cp);
      // results: own (halo), or all
      std::vector<int> res; for (int n : real) if (!halo || cluster_of[last[n]] == int(k)) res.push_back(n);
      if (!halo) std::stable_sort(res.begin(), res.end(), [&](int a, int b) { return inner[a] > inner[b]; });
      std::vector<int> identity; for (int c = ranges[k].first; c < ranges[k].second; ++c) for (int n : own_of_cell[c]) if (!M.masters[n].empty()) identity.push_back(n);
      std::vector<std::vector<std::pair<u16, u16>>> wl(real.size()); for (int i = 0; i < nh; ++i) for (auto &e : M.masters[hang[i]]) wl[local[e.first]].push_back({u16(i), u16(short(e.second * 4096))});
      const int nr = res.size() + identity.size();
      csr(nr, [&](int i) { return i < int(res.size()) ? of[local[res[i]]] : std::vector<u16>(); }, tb.rs, tb.rp);
      csr(nr, [&](int i) { std::vector<u16> r; if (i < int(res.size())) for (auto &e : wl[local[res[i]]]) r.push_back(e.first); return r; }, tb.ws, tb.wh);
      tb.ww = mark_at(); for (int n : res) for (auto &e : wl[local[n]]) w.push_back(e.second);
      const std::string content(reinterpret_cast<char *>(w.data()), w.size() * 2); const auto f = known.emplace(content, int(tables.size()));
      if (f.second) { const int o = data.size(); data.insert(data.end(), w.begin(), w.end()); for (int *q : {&tb.ids, &tb.hs, &tb.hm, &tb.hw, &tb.cs, &tb.cp, &tb.rs, &tb.rp, &tb.ws, &tb.wh, &tb.ww}) *q += o; tables.push_back(tb); }
      heads.push_back({int(nodes.size()), int(real.size()), int(cells.size()), m, f.first->second, int(results.size()), nr, ranges[k].second - ranges[k].first});
      for (int n : real) nodes.push_back(unsigned(number[n]) << 3 | mask_of(n)); cells.insert(cells.end(), taken_cells.begin(), taken_cells.end());
      for (int n : res) if (inner[n]) results.push_back(unsigned(number[n]) << 3 | mask_of(n)); else { slots[n].push_back(n_partial); results.push_back(1u << 31 | unsigned(n_partial++) << 3); }
      for (int n : identity) results.push_back(unsigned(number[n]) << 3 | 7);
    }
    std::vector<int> order; for (int n = 0; n < nn; ++n) if (!slots[n].empty()) order.push_back(n); std::sort(order.begin(), order.end(), [&](int a, int b) { return number[a] < number[b]; });
    for (int n : order) { border_entries.push_back(unsigned(number[n]) << 3 | mask_of(n)); for (int s : slots[n]) border_slots.push_back(s); border_start.push_back(border_slots.size()); }
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count();
    V = {put(heads), put(tables), put(data), put(nodes), put(results), put(cells), NP | 1}; d_border = put(border_entries); d_start = put(border_start); d_slots = put(border_slots); if (n_partial) CK(cudaMalloc(&partial, 3 * sizeof(T) * n_partial));
  }
  double bytes() const { return heads.size() * sizeof(Head) + tables.size() * sizeof(Table) + 2. * data.size() + 4. * (nodes.size() + results.size() + cells.size() + border_entries.size() + border_start.size() + border_slots.size()) + 3. * sizeof(T) * n_partial; }
};
