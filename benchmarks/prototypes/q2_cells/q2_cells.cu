// Q2 by cells, 3D, vector, 2 eta eps(u):eps(v) on n^3 cubes: a march of planes. Prototype.
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#ifdef NOGPU
#define CK(x) (void)(x)
#else
#define CK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("CUDA %s at %d\n", cudaGetErrorString(e), __LINE__); fflush(stdout); exit(1);} } while (0)
#endif

struct Grid { int n, N; };           // cells, nodes in each direction

template <class T> struct Product {
  T *y; const T *x;
  struct Operands {};
  __device__ void fetch(int, Operands &) const {}
  __device__ void operator()(int i, T s, bool fixed, const Operands &) const { y[i] = fixed ? x[i] : s; }
};
template <class T> struct Cheb {
  T *xn; const T *x, *b, *dinv; T *d; T a, w;
  struct Operands { T x, b, dinv, d; };
  __device__ void fetch(int i, Operands &o) const { o.x = x[i]; o.b = b[i]; o.dinv = dinv[i]; o.d = d[i]; }
  __device__ void operator()(int i, T s, bool fixed, const Operands &o) const {
    const T r = o.b - (fixed ? o.x : s); const T dn = a * o.d + w * o.dinv * r; d[i] = dn; xn[i] = o.x + dn;
  }
};

// ---------- constants of Legendre modes with folded scales ----------
__host__ __device__ constexpr double sc(int i) { return i == 0 ? 1. / 6 : i == 1 ? 0.5 : 1. / 3; }
__host__ __device__ constexpr double Mm(int i) { return 1. / (2 * i + 1) * sc(i) * sc(i); }
__host__ __device__ constexpr double Ss(int i) { return (i == 0 ? 0. : i == 1 ? 4. : 12.) * sc(i) * sc(i); }
__host__ __device__ constexpr double diagonal(int c, int x, int y, int z) {
  return (c == 0 ? 2 : 1) * Ss(x) * Mm(y) * Mm(z) + (c == 1 ? 2 : 1) * Mm(x) * Ss(y) * Mm(z) + (c == 2 ? 2 : 1) * Mm(x) * Mm(y) * Ss(z);
}
// (c, i) with (d, j): j = i - e_d + e_c; G(l, l-1) = 2
__host__ __device__ constexpr int dig(int i, int d) { return d == 0 ? i % 3 : d == 1 ? i / 3 % 3 : i / 9; }
__host__ __device__ constexpr int p3(int d) { return d == 0 ? 1 : d == 1 ? 3 : 9; }
__host__ __device__ constexpr bool couples(int c, int d, int i) { return c != d && dig(i, d) >= 1 && dig(i, c) <= 1; }
__host__ __device__ constexpr int partner(int c, int d, int i) { return i - p3(d) + p3(c); }
__host__ __device__ constexpr double off(int c, int d, int i) {
  const int t = 3 - c - d, j = partner(c, d, i);
  return 4. / (2 * dig(i, t) + 1) * sc(dig(i, t)) * sc(dig(i, t)) * sc(dig(i, c)) * sc(dig(j, c)) * sc(dig(i, d)) * sc(dig(j, d));
}
__host__ __device__ constexpr bool is_sent(int c, int i) {
  for (int d = 0; d < 3; ++d) if (d != c && couples(c, d, i)) return true;
  return false;
}
__host__ __device__ constexpr int slot(int c, int i) { int s = 0; for (int k = 0; k < i; ++k) s += is_sent(c, k); return s; }
template <class F, int... i> __device__ __forceinline__ void each(const F &f, std::integer_sequence<int, i...>) { (f(std::integral_constant<int, i>()), ...); }
template <int n, class F> __device__ __forceinline__ void each(const F &f) { each(f, std::make_integer_sequence<int, n>()); }
template <class T> struct Modes { T diag[3][27]; T off[3][3][27]; };

template <class T> __device__ __forceinline__ void mode_line(T &a, T &b, T &c) { const T s = a + c, d = c - a, m = b; a = s + T(4) * m; b = d; c = s - T(2) * m; }
template <class T> __device__ __forceinline__ void node_line(T &a, T &b, T &c) { const T e = a + c, o = b; b = T(4) * a - T(2) * c; a = e - o; c = e + o; }
constexpr double tau = 0.77459666924148337704;
template <class T> __device__ __forceinline__ void gauss_line(T &a, T &b, T &c) { const T s = T(.3) * (a + c) + T(.4) * b, e = T(tau / 2) * (c - a); a = s - e; c = s + e; }
template <class T> __device__ __forceinline__ void gauss_line_t(T &a, T &b, T &c) { const T s = a + c, e = T(tau / 2) * (c - a); a = T(.3) * s - e; c = T(.3) * s + e; b += T(.4) * s; }
template <class T, class L> __device__ __forceinline__ void lines_xy(T (&p)[9], const L &line) {
#pragma unroll
  for (int r = 0; r < 3; ++r) line(p[3 * r], p[3 * r + 1], p[3 * r + 2]);
#pragma unroll
  for (int r = 0; r < 3; ++r) line(p[r], p[r + 3], p[r + 6]);
}
#define LINE(f) [](T &a, T &b, T &c) { f(a, b, c); }

#ifdef IMM
template <class T, int c, int m> __device__ constexpr T diag_v = T(diagonal(c, m % 3, m / 3 % 3, m / 9));
template <class T, int c, int d, int m> __device__ constexpr T off_v = T(off(c, d, m));
#define DIAG(c, m) (diag_v<T, c, m>)
#define OFF(c, d, m) (off_v<T, c, d, m>)
#else
#define DIAG(c, m) K.diag[c][m]
#define OFF(c, d, m) K.off[c][d][m]
#endif
// ---------- tiles ----------
template <int OX, int OY> struct Tile {
  static constexpr int TX = OX + 1, TY = OY + 1, cells = TX * TY, CT = (cells + 31) / 32 * 32;
  static constexpr int P = TX + 1, R = TY + 1, NX = 2 * TX + 1, NY = 2 * TY + 1;
  static constexpr int array = R * P;              // one parity class
  static constexpr int CP = CT + 5;                // padding: contributions of [..][c][ax]
  // index of node class (py, px), component
  __device__ static int node_base(int plane, int c, int py, int px) { return (((plane * 2 + py) * 3 + c) * 2 + px) * array; }
  static constexpr int n_nodes_words = 2 * 12 * array;
  __device__ static int sum_base(int plane, int ay, int ax, int c) { return (((plane * 3 + ay) * 3 + ax) * 3 + c) * CP; }
  static constexpr int n_sum_words = 54 * CP;
  static constexpr int n_load = 3 * NX * NY, n_own = 3 * (2 * OX + 1) * (2 * OY + 1); // numbers of a plane
  static constexpr int n_plane_words = 12 * array;
};
// Tables in shared memory list the numbers of a plane that a block copies, and the numbers that it finishes.
template <class Tl, int NT> struct Block {
  unsigned *to_load, *to_finish; int base; // base: first node of a plane's tile
  static constexpr int ML = (Tl::n_load + NT - 1) / NT, MF = (Tl::n_own + NT - 1) / NT; static constexpr unsigned none = ~0u;
  __device__ void make(const Grid &g, unsigned *tables, int I0, int I1, int J0, int J1) {
    to_load = tables; to_finish = tables + Tl::n_load; base = 2 * J0 * g.N + 2 * I0;
    for (int e = threadIdx.x; e < Tl::n_load; e += NT) { const int Y = e / (3 * Tl::NX), f = e - Y * 3 * Tl::NX, X = f / 3, c = f - 3 * X;
      const bool in = 2 * I0 + X < g.N && 2 * J0 + Y < g.N;
      to_load[e] = !in ? none : unsigned(3 * Y * g.N + f) << 13 | unsigned(Tl::node_base(0, c, Y & 1, X & 1) + (Y >> 1) * Tl::P + (X >> 1)); }
    const int X0 = I0 == 0 ? 0 : 1, Y0 = J0 == 0 ? 0 : 1, X1 = 2 * (I1 - I0), Y1 = 2 * (J1 - J0); constexpr int W = 3 * (2 * Tl::TX - 1);
    for (int e = threadIdx.x; e < Tl::n_own; e += NT) { const int Y = e / W, f = e - Y * W, X = f / 3, c = f - 3 * X;
      const bool in = X >= X0 && X <= X1 && Y >= Y0 && Y <= Y1;
      to_finish[e] = !in ? none : unsigned(3 * (Y * g.N + X) + c) << 15 | unsigned(Tl::sum_base(0, Y & 1, X & 1, c) + (Y >> 1) * Tl::TX + (X >> 1)) << 2 | (!(X & 1) && X > 0) | (!(Y & 1) && Y > 0) << 1; }
  }
  __device__ unsigned entry(const unsigned *table, int n, int u) const { const int e = threadIdx.x + u * NT; return (u + 1) * NT <= n || e < n ? table[e] : none; }
  template <class T> __device__ void copy(const Grid &g, T *nodes, const T *x, int z) const {
    const T *from = x + 3 * (z * g.N * g.N + base); const unsigned to = __cvta_generic_to_shared(nodes);
#pragma unroll
    for (int u = 0; u < ML; ++u) { const unsigned w = entry(to_load, Tl::n_load, u);
      if (w != none) {
        if (sizeof(T) == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + 4 * (w & 8191)), "l"(from + (w >> 13)) : "memory");
        else asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + 8 * (w & 8191)), "l"(from + (w >> 13)) : "memory"); } }
  }
  // bit u: what entry u of this thread is prescribed
  template <int M> __device__ unsigned bits(const Grid &g, const unsigned *table, int n, int shift, const unsigned char *fixed, int z) const {
    const unsigned char *from = fixed + z * g.N * g.N + base; unsigned result = 0;
#pragma unroll
    for (int u = 0; u < M; ++u) { const unsigned w = entry(table, n, u); if (w != none) { const unsigned f = w >> shift, node = f / 3; result |= (from[node] >> (f - 3 * node) & 1u) << u; } }
    return result;
  }
  __device__ unsigned load_bits(const Grid &g, const unsigned char *fixed, int z) const { return bits<ML>(g, to_load, Tl::n_load, 13, fixed, z); }
  __device__ unsigned finish_bits(const Grid &g, const unsigned char *fixed, int z) const { return bits<MF>(g, to_finish, Tl::n_own, 15, fixed, z); }
  template <class T> __device__ void mask(T *nodes, unsigned bits) const {
    if (bits)
#pragma unroll
      for (int u = 0; u < ML; ++u) if (bits >> u & 1) nodes[to_load[threadIdx.x + u * NT] & 8191] = 0;
  }
  template <class T, class F> __device__ void finish(const Grid &g, const T *sums, int z, unsigned bits, const F &finish) const {
    constexpr int batch = sizeof(T) == 4 ? 4 : 2; const int first = 3 * (z * g.N * g.N + base);
#pragma unroll
    for (int u0 = 0; u0 < MF; u0 += batch) {
      typename F::Operands o[batch]; unsigned w[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) { w[k] = u0 + k < MF ? entry(to_finish, Tl::n_own, u0 + k) : none; if (w[k] != none) finish.fetch(first + (w[k] >> 15), o[k]); }
#pragma unroll
      for (int k = 0; k < batch; ++k) if (w[k] != none) {
        const T *near = sums + (w[k] >> 2 & 8191); const bool both = w[k] & 1, two = w[k] & 2; T s = near[0];
        if (both) s += near[6 * Tl::CP - 1];
        if (two) s += near[18 * Tl::CP - Tl::TX];
        if (both && two) s += near[24 * Tl::CP - Tl::TX - 1];
        finish(first + int(w[k] >> 15), s, bits >> (u0 + k) & 1, o[k]);
      }
    }
  }
};
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ __forceinline__ void wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
#define NODE_MEMORY(T) (4 * Tl::n_plane_words * sizeof(T) + (Tl::n_load + Tl::n_own) * 4)

// ---------- one thread a cell, constant eta ----------
template <class T, int OX, int OY, int B, class F>
__global__ void __launch_bounds__(Tile<OX, OY>::CT, B) march1(const Grid g, const __grid_constant__ Modes<T> K, const T *eta, const T *x, const unsigned char *fixed, const unsigned char *flags, const F finish, const int planes) {
  using Tl = Tile<OX, OY>;
  extern __shared__ char memory[];
  T *nodes = reinterpret_cast<T *>(memory), *sums = nodes + 4 * Tl::n_plane_words; unsigned *tables = reinterpret_cast<unsigned *>(sums + Tl::n_sum_words);
  constexpr int NT = Tl::CT; const int t = threadIdx.x;
  const int I0 = blockIdx.x * OX, J0 = blockIdx.y * OY, K0 = blockIdx.z * planes;
  const int I1 = min(I0 + OX, g.n), J1 = min(J0 + OY, g.n), K1 = min(K0 + planes, g.n);
  const int i = t % Tl::TX, j = t / Tl::TX; const bool here = t < Tl::cells && I0 + i < g.n && J0 + j < g.n;
  const int jj = min(j, Tl::TY - 1);
  Block<Tl, NT> block;
  const unsigned char *const flag = flags + blockIdx.y * gridDim.x + blockIdx.x; const int n_tiles = gridDim.x * gridDim.y;
  for (int w = threadIdx.x; w < 4 * Tl::n_plane_words; w += NT) nodes[w] = 0;
  block.make(g, tables, I0, I1, J0, J1);
  __syncthreads();
  const auto planes_of = [&](int k) { return nodes + (k & 1) * 2 * Tl::n_plane_words; };
  const auto masked = [&](int z) { return z < g.N && flag[z * n_tiles] != 0; };
  bool masked_low = masked(2 * K0), masked_mid = masked(2 * K0 + 1), masked_up = masked(2 * K0 + 2);
  unsigned bits_mid = masked_mid ? block.load_bits(g, fixed, 2 * K0 + 1) : 0, bits_up = masked_up ? block.load_bits(g, fixed, 2 * K0 + 2) : 0;
  const int mine = jj * Tl::P + i;
  const auto read = [&](const T *from, int c, T (&p)[9]) {
#pragma unroll
    for (int b = 0; b < 3; ++b)
#pragma unroll
      for (int a = 0; a < 3; ++a) p[3 * b + a] = from[mine + Tl::node_base(0, c, b & 1, a & 1) + (b >> 1) * Tl::P + (a >> 1)];
    lines_xy(p, LINE(mode_line));
  };
  T low[3][9], carried[3][9];
  {
    T *const lowest = planes_of(K0 + 1); // the place of the next but one
    block.copy(g, lowest, x, 2 * K0); commit(); wait_all();
    if (masked_low) block.mask(lowest, block.load_bits(g, fixed, 2 * K0));
    block.copy(g, planes_of(K0), x, 2 * K0 + 1); block.copy(g, planes_of(K0) + Tl::n_plane_words, x, 2 * K0 + 2); commit();
  }
  __syncthreads();
#pragma unroll
  for (int c = 0; c < 3; ++c) { read(planes_of(K0 + 1), c, low[c]);
#pragma unroll
    for (int m = 0; m < 9; ++m) carried[c][m] = 0; }
  __syncthreads();
  for (int k = K0; k <= K1; ++k) {
    T *const here_planes = planes_of(k);
    wait_all();
    block.mask(here_planes, bits_mid); block.mask(here_planes + Tl::n_plane_words, bits_up);
    const bool next_mid = masked(2 * k + 3), next_up = masked(2 * k + 4);
    const T e = here && k < g.n ? eta[(k * g.n + J0 + j) * g.n + I0 + i] : T(0);
    __syncthreads();
    if (k < K1 && k + 1 < g.n) { T *const to = planes_of(k + 1); block.copy(g, to, x, 2 * k + 3); block.copy(g, to + Tl::n_plane_words, x, 2 * k + 4); commit(); }
    const unsigned finish_low = masked_low ? block.finish_bits(g, fixed, 2 * k) : 0, finish_mid = masked_mid && k < K1 ? block.finish_bits(g, fixed, 2 * k + 1) : 0;
    masked_low = masked_up; masked_mid = next_mid; masked_up = next_up;
    bits_mid = k < K1 && next_mid ? block.load_bits(g, fixed, 2 * k + 3) : 0; bits_up = k < K1 && next_up ? block.load_bits(g, fixed, 2 * k + 4) : 0;
    T v[3][27];
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      T mid[9], up[9]; read(here_planes, c, mid); read(here_planes + Tl::n_plane_words, c, up);
#pragma unroll
      for (int m = 0; m < 9; ++m) {
        const T s = low[c][m] + up[m];
        v[c][m] = s + T(4) * mid[m]; v[c][m + 9] = up[m] - low[c][m]; v[c][m + 18] = s - T(2) * mid[m]; low[c][m] = up[m];
      }
    }
    each<3>([&](auto ic) {
      constexpr int c = ic; T r[27];
      each<27>([&](auto im) {
        constexpr int m = im; T q = m == 0 ? T(0) : DIAG(c, m) * v[c][m];
        each<3>([&](auto id) { constexpr int d = id; if constexpr (couples(c, d, m)) q += OFF(c, d, m) * v[d][partner(c, d, m)]; });
        r[m] = q * e;
      });
      T of_low[9], of_mid[9];
#pragma unroll
      for (int m = 0; m < 9; ++m) {
        const T ev = r[m] + r[m + 18];
        of_low[m] = carried[c][m] + (ev - r[m + 9]); of_mid[m] = T(4) * r[m] - T(2) * r[m + 18]; carried[c][m] = ev + r[m + 9];
      }
      lines_xy(of_low, LINE(node_line)); lines_xy(of_mid, LINE(node_line));
#pragma unroll
      for (int a = 0; a < 9; ++a) { sums[Tl::sum_base(0, a / 3, a % 3, c) + t] = of_low[a]; sums[Tl::sum_base(1, a / 3, a % 3, c) + t] = of_mid[a]; }
    });
    __syncthreads();
    if (k > K0 || k == 0) block.finish(g, sums, 2 * k, finish_low, finish);
    if (k < K1) block.finish(g, sums + 27 * Tl::CP, 2 * k + 1, finish_mid, finish);
  }
}

// ---------- three threads a cell: a component each ----------
__device__ __forceinline__ void sync_team(int group) { asm volatile("bar.sync %0, 96;" ::"r"(group + 1) : "memory"); }

// eta constant in the cell
template <int c, class T, class Tl> __device__ __forceinline__ void team_cell(const Modes<T> &K, T e, T (&low)[9], T (&mid)[9], T (&up)[9], T (&carried)[9], T *exchange, int t, int group) {
  T v[27];
#pragma unroll
  for (int m = 0; m < 9; ++m) {
    const T s = low[m] + up[m];
    v[m] = s + T(4) * mid[m]; v[m + 9] = up[m] - low[m]; v[m + 18] = s - T(2) * mid[m]; low[m] = up[m];
  }
  each<27>([&](auto im) { constexpr int m = im; if constexpr (is_sent(c, m)) { constexpr int at = c * 16 + slot(c, m); exchange[at * Tl::CT + t] = v[m]; } });
  sync_team(group);
  each<27>([&](auto im) {
    constexpr int m = im; T q = m == 0 ? T(0) : DIAG(c, m) * v[m];
    each<3>([&](auto id) { constexpr int d = id; if constexpr (couples(c, d, m)) { constexpr int at = d * 16 + slot(d, partner(c, d, m)); q += OFF(c, d, m) * exchange[at * Tl::CT + t]; } });
    v[m] = q * e;
  });
#pragma unroll
  for (int m = 0; m < 9; ++m) {
    const T ev = v[m] + v[m + 18], o = v[m + 9];
    mid[m] = T(4) * v[m] - T(2) * v[m + 18]; up[m] = carried[m] + (ev - o); carried[m] = ev + o;
  }
}
// eta at points (with weights): sum factorisation
template <int c, class T, class Tl> __device__ __forceinline__ void team_points(const T *eta, T (&low)[9], T (&mid)[9], T (&up)[9], T (&carried)[9], T *exchange, int t, int group) {
  T rl[9] = {}, rm[9] = {}, ru[9] = {};
  constexpr int other1 = c == 0 ? 1 : 0, other2 = c == 2 ? 1 : 2;
#pragma unroll
  for (int q = -1; q <= 1; ++q) {
    T u[9], gr[3][9], h[9];
#pragma unroll
    for (int m = 0; m < 9; ++m) h[m] = eta[(9 * (q + 1) + m) * Tl::CT];
#pragma unroll
    for (int m = 0; m < 9; ++m) {
      const T s = low[m] + up[m], d = up[m] - low[m];
      u[m] = q == 0 ? mid[m] : T(.3) * s + T(.4) * mid[m] + T(q * tau / 2) * d;
      gr[2][m] = T(.5) * d + T(q * tau) * (s - T(2) * mid[m]);
    }
#pragma unroll
    for (int r = 0; r < 3; ++r) {
      { const T A = T(.5 / tau) * (u[3 * r + 2] - u[3 * r]), Bq = T(1 / tau) * (u[3 * r] + u[3 * r + 2] - T(2) * u[3 * r + 1]);
        gr[0][3 * r] = A - Bq; gr[0][3 * r + 1] = A; gr[0][3 * r + 2] = A + Bq; }
      { const T A = T(.5 / tau) * (u[r + 6] - u[r]), Bq = T(1 / tau) * (u[r] + u[r + 6] - T(2) * u[r + 3]);
        gr[1][r] = A - Bq; gr[1][r + 3] = A; gr[1][r + 6] = A + Bq; }
    }
    sync_team(group); // the other threads have read the previous plane's
#pragma unroll
    for (int m = 0; m < 9; ++m) { exchange[((c * 2 + 0) * 9 + m) * Tl::CT + t] = gr[other1][m]; exchange[((c * 2 + 1) * 9 + m) * Tl::CT + t] = gr[other2][m]; }
    sync_team(group);
    // thread d has d_{c} u_d at: its first other is c or not
    constexpr int k1 = c == (other1 == 0 ? 1 : 0) ? 0 : 1, k2 = c == (other2 == 0 ? 1 : 0) ? 0 : 1;
#pragma unroll
    for (int m = 0; m < 9; ++m) {
      gr[c][m] *= T(2) * h[m];
      gr[other1][m] = (gr[other1][m] + exchange[((other1 * 2 + k1) * 9 + m) * Tl::CT + t]) * h[m];
      gr[other2][m] = (gr[other2][m] + exchange[((other2 * 2 + k2) * 9 + m) * Tl::CT + t]) * h[m];
    }
    // transposed derivatives in the plane
#pragma unroll
    for (int m = 0; m < 9; ++m) u[m] = 0;
#pragma unroll
    for (int r = 0; r < 3; ++r) {
      { const T A = T(.5 / tau) * (gr[0][3 * r] + gr[0][3 * r + 1] + gr[0][3 * r + 2]), Bq = T(1 / tau) * (gr[0][3 * r + 2] - gr[0][3 * r]);
        u[3 * r] += Bq - A; u[3 * r + 1] -= T(2) * Bq; u[3 * r + 2] += A + Bq; }
      { const T A = T(.5 / tau) * (gr[1][r] + gr[1][r + 3] + gr[1][r + 6]), Bq = T(1 / tau) * (gr[1][r + 6] - gr[1][r]);
        u[r] += Bq - A; u[r + 3] -= T(2) * Bq; u[r + 6] += A + Bq; }
    }
#pragma unroll
    for (int m = 0; m < 9; ++m) {
      const T s = gr[2][m];
      if (q == 0) { rm[m] += u[m]; rl[m] -= T(.5) * s; ru[m] += T(.5) * s; }
      else {
        rl[m] += T(.3 - q * tau / 2) * u[m] + T(-.5 + q * tau) * s; ru[m] += T(.3 + q * tau / 2) * u[m] + T(.5 + q * tau) * s;
        rm[m] += T(.4) * u[m] - T(2 * q * tau) * s;
      }
    }
  }
#pragma unroll
  for (int m = 0; m < 9; ++m) { low[m] = up[m]; up[m] = carried[m] + rl[m]; mid[m] = rm[m]; carried[m] = ru[m]; }
}

template <class T, int OX, int OY, int B, bool points, bool alias, class F>
__global__ void __launch_bounds__(3 * Tile<OX, OY>::CT, B) march3(const Grid g, const __grid_constant__ Modes<T> K, const T *eta, const T *x, const unsigned char *fixed, const unsigned char *flags, const F finish, const int planes) {
  using Tl = Tile<OX, OY>;
  extern __shared__ char memory[];
  T *nodes = reinterpret_cast<T *>(memory), *sums = nodes + 4 * Tl::n_plane_words, *exchange = alias ? sums : sums + Tl::n_sum_words; T *of_points = sums + Tl::n_sum_words + (alias ? 0 : 54 * Tl::CT); unsigned *tables = reinterpret_cast<unsigned *>(of_points + (points ? 27 * Tl::CT : 0));
  constexpr int NT = 3 * Tl::CT; const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, group = warp / 3, c = warp % 3, t = group * 32 + lane;
  const int I0 = blockIdx.x * OX, J0 = blockIdx.y * OY, K0 = blockIdx.z * planes;
  const int I1 = min(I0 + OX, g.n), J1 = min(J0 + OY, g.n), K1 = min(K0 + planes, g.n);
  const int i = t % Tl::TX, j = t / Tl::TX; const bool inside = t < Tl::cells && I0 + i < g.n && J0 + j < g.n;
  const int jj = min(j, Tl::TY - 1);
  Block<Tl, NT> block;
  const unsigned char *const flag = flags + blockIdx.y * gridDim.x + blockIdx.x; const int n_tiles = gridDim.x * gridDim.y;
  for (int w = threadIdx.x; w < 4 * Tl::n_plane_words; w += NT) nodes[w] = 0;
  block.make(g, tables, I0, I1, J0, J1);
  __syncthreads();
  const auto planes_of = [&](int k) { return nodes + (k & 1) * 2 * Tl::n_plane_words; };
  const auto masked = [&](int z) { return z < g.N && flag[z * n_tiles] != 0; };
  bool masked_low = masked(2 * K0), masked_mid = masked(2 * K0 + 1), masked_up = masked(2 * K0 + 2);
  unsigned bits_mid = masked_mid ? block.load_bits(g, fixed, 2 * K0 + 1) : 0, bits_up = masked_up ? block.load_bits(g, fixed, 2 * K0 + 2) : 0;
  const int mine = jj * Tl::P + i;
  const auto read = [&](const T *from, T (&p)[9]) {
#pragma unroll
    for (int b = 0; b < 3; ++b)
#pragma unroll
      for (int a = 0; a < 3; ++a) p[3 * b + a] = from[mine + Tl::node_base(0, c, b & 1, a & 1) + (b >> 1) * Tl::P + (a >> 1)];
    if constexpr (points) lines_xy(p, LINE(gauss_line)); else lines_xy(p, LINE(mode_line));
  };
  T low[9], carried[9];
  {
    T *const lowest = planes_of(K0 + 1); // the place of the next but one
    block.copy(g, lowest, x, 2 * K0); commit(); wait_all();
    if (masked_low) block.mask(lowest, block.load_bits(g, fixed, 2 * K0));
    block.copy(g, planes_of(K0), x, 2 * K0 + 1); block.copy(g, planes_of(K0) + Tl::n_plane_words, x, 2 * K0 + 2); commit();
  }
  __syncthreads();
  read(planes_of(K0 + 1), low);
#pragma unroll
  for (int m = 0; m < 9; ++m) carried[m] = 0;
  __syncthreads();
  const auto copy_eta = [&](int k) { // nine points of the thread's cell
    const T *const from = eta + (k * g.n + J0 + j) * g.n + I0 + i; const int stride = g.n * g.n * g.n;
#pragma unroll
    for (int q = 0; q < 9; ++q) {
      T *const to = of_points + (9 * c + q) * Tl::CT + t;
      if (!(inside && k < g.n)) *to = 0;
      else if (sizeof(T) == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from + (9 * c + q) * stride) : "memory");
      else asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from + (9 * c + q) * stride) : "memory");
    }
  };
  if constexpr (points) copy_eta(K0);
  for (int k = K0; k <= K1; ++k) {
    T *const here_planes = planes_of(k);
    wait_all();
    block.mask(here_planes, bits_mid); block.mask(here_planes + Tl::n_plane_words, bits_up);
    const bool next_mid = masked(2 * k + 3), next_up = masked(2 * k + 4);
    const bool here = inside && k < g.n;
    const int cell = (k * g.n + J0 + j) * g.n + I0 + i;
    const T e = !points && here ? eta[cell] : T(0);
    __syncthreads();
    if (k < K1 && k + 1 < g.n) { T *const to = planes_of(k + 1); block.copy(g, to, x, 2 * k + 3); block.copy(g, to + Tl::n_plane_words, x, 2 * k + 4); commit(); }
    const unsigned finish_low = masked_low ? block.finish_bits(g, fixed, 2 * k) : 0, finish_mid = masked_mid && k < K1 ? block.finish_bits(g, fixed, 2 * k + 1) : 0;
    masked_low = masked_up; masked_mid = next_mid; masked_up = next_up;
    bits_mid = k < K1 && next_mid ? block.load_bits(g, fixed, 2 * k + 3) : 0; bits_up = k < K1 && next_up ? block.load_bits(g, fixed, 2 * k + 4) : 0;
    T mid[9], up[9]; read(here_planes, mid); read(here_planes + Tl::n_plane_words, up);
    if constexpr (points) {
      if (c == 0) team_points<0, T, Tl>(of_points + t, low, mid, up, carried, exchange, t, group);
      else if (c == 1) team_points<1, T, Tl>(of_points + t, low, mid, up, carried, exchange, t, group);
      else team_points<2, T, Tl>(of_points + t, low, mid, up, carried, exchange, t, group);
    } else {
      if (c == 0) team_cell<0, T, Tl>(K, e, low, mid, up, carried, exchange, t, group);
      else if (c == 1) team_cell<1, T, Tl>(K, e, low, mid, up, carried, exchange, t, group);
      else team_cell<2, T, Tl>(K, e, low, mid, up, carried, exchange, t, group);
    }
    if (alias) __syncthreads(); // the exchange is over: its place takes the contributions
    if constexpr (points) { lines_xy(up, LINE(gauss_line_t)); lines_xy(mid, LINE(gauss_line_t)); }
    else { lines_xy(up, LINE(node_line)); lines_xy(mid, LINE(node_line)); }
#pragma unroll
    for (int a = 0; a < 9; ++a) { sums[Tl::sum_base(0, a / 3, a % 3, c) + t] = up[a]; sums[Tl::sum_base(1, a / 3, a % 3, c) + t] = mid[a]; }
    __syncthreads();
    if constexpr (points) if (k < K1) copy_eta(k + 1);
    if (k > K0 || k == 0) block.finish(g, sums, 2 * k, finish_low, finish);
    if (k < K1) block.finish(g, sums + 27 * Tl::CP, 2 * k + 1, finish_mid, finish);
  }
}

#include "clusters.cuh"
#include "host.cuh"
