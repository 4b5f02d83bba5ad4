// host: reference, timing
struct Reference {
  int n, N; std::vector<double> grad; // [q][a][3] unit cell
  double w[27];
  Reference(int n) : n(n), N(2 * n + 1), grad(27 * 27 * 3) {
    const double g[3] = {.5 - tau / 2, .5, .5 + tau / 2}, wt[3] = {5. / 18, 8. / 18, 5. / 18};
    auto v = [](int a, double x) { return a == 0 ? (2 * x - 1) * (x - 1) : a == 1 ? 4 * x * (1 - x) : x * (2 * x - 1); };
    auto dv = [](int a, double x) { return a == 0 ? 4 * x - 3 : a == 1 ? 4 - 8 * x : 4 * x - 1; };
    for (int q = 0; q < 27; ++q) {
      const double x = g[q % 3], y = g[q / 3 % 3], z = g[q / 9]; w[q] = wt[q % 3] * wt[q / 3 % 3] * wt[q / 9];
      for (int a = 0; a < 27; ++a) {
        const int i = a % 3, j = a / 3 % 3, k = a / 9; double *G = &grad[(q * 27 + a) * 3];
        G[0] = dv(i, x) * v(j, y) * v(k, z); G[1] = v(i, x) * dv(j, y) * v(k, z); G[2] = v(i, x) * v(j, y) * dv(k, z);
      }
    }
  }
  // contributions of a cell: u[27][3] -> r[27][3], eta at 27 points (without weights)
  void cell(const double (*u)[3], const double *eta, double (*r)[3]) const {
    for (int a = 0; a < 27; ++a) r[a][0] = r[a][1] = r[a][2] = 0;
    for (int q = 0; q < 27; ++q) {
      double D[3][3] = {};
      for (int a = 0; a < 27; ++a) for (int c = 0; c < 3; ++c) for (int d = 0; d < 3; ++d) D[c][d] += u[a][c] * grad[(q * 27 + a) * 3 + d];
      for (int a = 0; a < 27; ++a) for (int c = 0; c < 3; ++c) for (int d = 0; d < 3; ++d) r[a][c] += w[q] * eta[q] * (D[c][d] + D[d][c]) * grad[(q * 27 + a) * 3 + d];
    }
  }
};
template <class F> void parallel(int n, const F &f) {
  const int nt = std::max(1u, std::thread::hardware_concurrency()); std::vector<std::thread> th;
  for (int t = 0; t < nt; ++t) th.emplace_back([&, t] { for (int i = t; i < n; i += nt) f(i); });
  for (auto &t : th) t.join();
}
inline std::vector<double> reference_product(int n, const std::vector<double> &x, const std::vector<unsigned char> &fixed, const std::vector<double> &eta_q /*[q][cell]*/) {
  const Reference R(n); const int N = R.N; std::vector<double> y(x.size(), 0.); const long cells = long(n) * n * n;
  for (int colour = 0; colour < 2; ++colour)
    parallel((n - colour + 1) / 2, [&](int kk) {
      const int k = 2 * kk + colour;
      for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) {
        double u[27][3], r[27][3], e[27]; const long cell = (long(k) * n + j) * n + i; int node[27];
        for (int a = 0; a < 27; ++a) { node[a] = 2 * i + a % 3 + N * (2 * j + a / 3 % 3 + N * (2 * k + a / 9)); e[a] = eta_q[a * cells + cell];
          for (int c = 0; c < 3; ++c) u[a][c] = fixed[node[a]] >> c & 1 ? 0 : x[3 * node[a] + c]; }
        R.cell(u, e, r);
        for (int a = 0; a < 27; ++a) for (int c = 0; c < 3; ++c) y[3 * node[a] + c] += r[a][c];
      }
    });
  for (size_t i = 0; i < y.size(); ++i) if (fixed[i / 3] >> i % 3 & 1) y[i] = x[i];
  return y;
}
template <class T> T *upload(const std::vector<double> &v) { std::vector<T> w(v.begin(), v.end()); T *p; CK(cudaMalloc(&p, w.size() * sizeof(T))); CK(cudaMemcpy(p, w.data(), w.size() * sizeof(T), cudaMemcpyHostToDevice)); return p; }
template <class T> std::vector<T> download(const T *p, size_t n) { std::vector<T> v(n); CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }

inline double time_graph(const std::function<void(cudaStream_t)> &run) {
  cudaStream_t s; CK(cudaStreamCreate(&s)); cudaGraph_t g; cudaGraphExec_t ex;
  CK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal)); for (int i = 0; i < 20; ++i) run(s); CK(cudaStreamEndCapture(s, &g));
  CK(cudaGraphInstantiate(&ex, g, 0)); cudaEvent_t a, b; CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b));
  for (int i = 0; i < 2; ++i) CK(cudaGraphLaunch(ex, s)); CK(cudaStreamSynchronize(s));
  std::vector<float> ts; for (int i = 0; i < 9; ++i) { float ms; CK(cudaEventRecord(a, s)); CK(cudaGraphLaunch(ex, s)); CK(cudaEventRecord(b, s)); CK(cudaEventSynchronize(b)); CK(cudaEventElapsedTime(&ms, a, b)); ts.push_back(ms * 1000 / 20); }
  std::sort(ts.begin(), ts.end()); CK(cudaGetLastError()); cudaGraphExecDestroy(ex); cudaGraphDestroy(g); cudaStreamDestroy(s); return ts[4];
}
template <class T> Modes<T> make_modes() {
  Modes<T> K{};
  for (int c = 0; c < 3; ++c) for (int i = 0; i < 27; ++i) { K.diag[c][i] = diagonal(c, i % 3, i / 3 % 3, i / 9);
    for (int d = 0; d < 3; ++d) if (couples(c, d, i)) K.off[c][d][i] = off(c, d, i); }
  return K;
}
template <class T> struct Problem {
  int n, N, nn; long size; std::vector<double> hx, hb, hD, hd, y_const, y_points; std::vector<unsigned char> hfixed;
  T *x, *xn, *y, *b, *dinv, *d, *eta, *etaq; unsigned char *fixed; Modes<T> K; std::vector<unsigned char> hflags;
  template <int OX, int OY> unsigned char *flags(dim3 tiles) const {
    std::vector<unsigned char> f(size_t(N) * tiles.x * tiles.y, 0);
    for (int z = 0; z < N; ++z) for (int v = 0; v < int(tiles.y); ++v) for (int u = 0; u < int(tiles.x); ++u) { auto &r = f[(z * tiles.y + v) * tiles.x + u];
      for (int Y = 2 * v * OY; Y <= std::min(N - 1, 2 * (v * OY + OY + 1)); ++Y) for (int X = 2 * u * OX; X <= std::min(N - 1, 2 * (u * OX + OX + 1)); ++X) r |= hfixed[X + N * (Y + N * z)]; }
    unsigned char *p; CK(cudaMalloc(&p, f.size())); CK(cudaMemcpy(p, f.data(), f.size(), cudaMemcpyHostToDevice)); return p;
  }
  Problem(int n) : n(n), N(2 * n + 1), nn(N * N * N), size(3L * nn), K(make_modes<T>()) {
    std::mt19937 rng(1); std::uniform_real_distribution<double> U(-1, 1); auto round = [](double v) { return double(T(v)); };
    hx.resize(size); hb.resize(size); hD.resize(size); hd.resize(size);
    for (auto &v : hx) v = round(U(rng)); for (auto &v : hb) v = round(U(rng)); for (auto &v : hD) v = round(1 + .5 * U(rng)); for (auto &v : hd) v = round(U(rng));
    hfixed.assign(nn, 0);
    for (int z = 0; z < N; ++z) for (int yy = 0; yy < N; ++yy) for (int xx = 0; xx < N; ++xx) {
      int f = 0; if (xx == 0 || xx == N - 1) f |= 1; if (yy == 0) f |= 7; if (z == 0) f |= 4; hfixed[xx + N * (yy + N * z)] = f; }
    const long cells = long(n) * n * n; std::vector<double> e(cells), q1(27 * cells), q(27 * cells), qw(27 * cells); const Reference R(1);
    for (auto &v : e) v = round(std::exp(2 * U(rng)));
    for (int a = 0; a < 27; ++a) for (long c = 0; c < cells; ++c) { q1[a * cells + c] = e[c]; const double v = e[c] * (1 + .3 * U(rng)); qw[a * cells + c] = round(4 * R.w[a] * v); q[a * cells + c] = qw[a * cells + c] / (4 * R.w[a]); }
    y_const = reference_product(n, hx, hfixed, q1); y_points = reference_product(n, hx, hfixed, q);
    x = upload<T>(hx); b = upload<T>(hb); dinv = upload<T>(hD); d = upload<T>(hd); eta = upload<T>(e); etaq = upload<T>(qw);
    CK(cudaMalloc(&xn, size * sizeof(T))); CK(cudaMalloc(&y, size * sizeof(T))); CK(cudaMalloc(&fixed, nn)); CK(cudaMemcpy(fixed, hfixed.data(), nn, cudaMemcpyHostToDevice));
  }
  ~Problem() { for (T *p : {x, xn, y, b, dinv, d, eta, etaq}) cudaFree(p); cudaFree(fixed); }
  double difference(const std::vector<T> &v, const std::vector<double> &w) const { double m = 0, s = 0; for (long i = 0; i < size; ++i) { const double e = std::fabs(double(v[i]) - w[i]); if (!(e <= 1e300)) return 1e300; m = std::max(m, e); s = std::max(s, std::fabs(w[i])); } return m / s; }
  // launch(stream, finish)
  template <class L> void measure(const char *name, bool points, const L &launch, int regs_p, int regs_c, int local_c, int occ) {
    const auto &yr = points ? y_points : y_const;
    const Product<T> P{y, x}; const Cheb<T> C{xn, x, b, dinv, d, T(.5), T(.3)};
    CK(cudaMemset(y, 255, size * sizeof(T))); launch(cudaStream_t(0), P); CK(cudaDeviceSynchronize()); const auto y1 = download(y, size);
    upload_d(); CK(cudaMemset(xn, 255, size * sizeof(T))); launch(cudaStream_t(0), C); CK(cudaDeviceSynchronize()); const auto x1 = download(xn, size);
    std::vector<double> xr(size); for (long i = 0; i < size; ++i) xr[i] = hx[i] + T(.5) * hd[i] + double(T(.3)) * hD[i] * (hb[i] - yr[i]);
    double tp = time_graph([&](cudaStream_t s) { launch(s, P); }), tc = time_graph([&](cudaStream_t s) { launch(s, C); });
    const auto y2 = download(y, size);
    #ifdef IMM
    const char *kind = "literal constants";
#else
    const char *kind = "";
#endif
    printf("%s n %d %-44s %s product %7.1f us  step %7.1f us  error %.1e %.1e  same bits %d  regs %d %d local %d blocks/SM %d\n", sizeof(T) == 4 ? "float " : "double", n, name, kind, tp, tc, difference(y1, yr), difference(x1, xr), !memcmp(y1.data(), y2.data(), size * sizeof(T)), regs_p, regs_c, local_c, occ); fflush(stdout);
  }
  void upload_d() { std::vector<T> w(hd.begin(), hd.end()); CK(cudaMemcpy(d, w.data(), size * sizeof(T), cudaMemcpyHostToDevice)); }
};
template <class K> void attributes(K kernel, int bytes, int threads, int &regs, int &local, int &occ) {
  CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)); cudaFuncAttributes a; CK(cudaFuncGetAttributes(&a, kernel)); regs = a.numRegs; local = a.localSizeBytes; CK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&occ, kernel, threads, bytes));
}
inline int chunk(int n, int tiles, int occ) { // planes of a chunk: all blocks at once, or waves of whole
  const int at_once = 132 * std::max(1, occ); double best = 1e300; int result = n;
  for (int p = 2; p <= n; ++p) { const int blocks = tiles * ((n + p - 1) / p); const double waves = std::ceil(double(blocks) / at_once); const double cost = waves * (p + 1.5); if (cost < best) { best = cost; result = p; } }
  return result;
}
template <class T, int OX, int OY, int B> void run1(Problem<T> &p, const char *name, int planes = 0) {
  using Tl = Tile<OX, OY>; const int bytes = NODE_MEMORY(T) + Tl::n_sum_words * sizeof(T); const Grid g{p.n, p.N};
  int rp, lp, op, rc, lc, oc; attributes(march1<T, OX, OY, B, Product<T>>, bytes, Tl::CT, rp, lp, op); attributes(march1<T, OX, OY, B, Cheb<T>>, bytes, Tl::CT, rc, lc, oc);
  const dim3 tiles((p.n + OX - 1) / OX, (p.n + OY - 1) / OY); if (!planes) planes = chunk(p.n, tiles.x * tiles.y, oc); unsigned char *flags = p.template flags<OX, OY>(tiles);
  char full[200]; snprintf(full, 200, "%s, 1 thread a cell, %dx%d, %d planes", name, OX, OY, planes);
  p.measure(full, false, [&](cudaStream_t s, const auto &finish) { march1<T, OX, OY, B><<<dim3(tiles.x, tiles.y, (p.n + planes - 1) / planes), Tl::CT, bytes, s>>>(g, p.K, p.eta, p.x, p.fixed, flags, finish, planes); CK(cudaGetLastError()); }, rp, rc, lc, oc); cudaFree(flags);
}
template <class T, int OX, int OY, int B, bool points, bool alias> void run3(Problem<T> &p, int planes = 0) {
  using Tl = Tile<OX, OY>; const int bytes = NODE_MEMORY(T) + (Tl::n_sum_words + (alias ? 0 : 54 * Tl::CT) + (points ? 27 * Tl::CT : 0)) * sizeof(T); const Grid g{p.n, p.N};
  int rp, lp, op, rc, lc, oc; attributes(march3<T, OX, OY, B, points, alias, Product<T>>, bytes, 3 * Tl::CT, rp, lp, op); attributes(march3<T, OX, OY, B, points, alias, Cheb<T>>, bytes, 3 * Tl::CT, rc, lc, oc);
  const dim3 tiles((p.n + OX - 1) / OX, (p.n + OY - 1) / OY); if (!planes) planes = chunk(p.n, tiles.x * tiles.y, oc); unsigned char *flags = p.template flags<OX, OY>(tiles);
  char full[200]; snprintf(full, 200, "%s, 3 threads a cell%s, %dx%d, %d planes", points ? "points" : "modes", alias ? " (alias)" : "", OX, OY, planes);
  p.measure(full, points, [&](cudaStream_t s, const auto &finish) { march3<T, OX, OY, B, points, alias><<<dim3(tiles.x, tiles.y, (p.n + planes - 1) / planes), 3 * Tl::CT, bytes, s>>>(g, p.K, points ? p.etaq : p.eta, p.x, p.fixed, flags, finish, planes); CK(cudaGetLastError()); }, rp, rc, lc, oc); cudaFree(flags);
}
#include "cluster_host.cuh"
template <class T> void run_all(int n) {
#if PART == 6
  if (n == 16) { run_clusters<T>("uniform 16^3", 4, 4); run_clusters<T>("face, small", 2, 4); }
  else { run_clusters<T>("uniform 64^3", 6, 6); run_clusters<T>("face", 3, 8); }
  return;
#else

  Problem<T> p(n);
  constexpr bool f = sizeof(T) == 4;
#if PART == 0
  run1<T, 13, 8, f ? 3 : 2>(p, "modes");
  run3<T, 13, 8, f ? 2 : 1, false, false>(p);
#elif PART == 1
  run3<T, 8, 8, f ? 3 : 2, false, true>(p);
  run3<T, 8, 4, f ? 4 : 3, false, false>(p);
#elif PART == 2
  run3<T, 13, 8, 1, true, false>(p);
#elif PART == 3
  run3<T, 8, 8, f ? 2 : 1, true, false>(p);
#elif PART == 4
  run3<T, 8, 6, f ? 4 : 2, false, false>(p);
  run3<T, 8, 6, f ? 4 : 3, false, true>(p);
#else
  run3<T, 8, 6, 2, true, false>(p);
#endif
#endif
}
__global__ void copy_kernel(const float4 *a, float4 *b, size_t n) { for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) b[i] = a[i]; }
int main(int argc, char **argv) {
  if (argc == 1)
  { float4 *a, *b; const size_t m = size_t(1) << 30; CK(cudaMalloc(&a, m)); CK(cudaMalloc(&b, m)); const double t = time_graph([&](cudaStream_t s) { copy_kernel<<<132 * 16, 512, 0, s>>>(a, b, m / 16); }); printf("copy of 1 GiB: %.2f TB/s read and written\n", 2. * m / t / 1e6); cudaFree(a); cudaFree(b); }
  for (int n : {16, 64}) if (argc == 1 || n == atoi(argv[1])) run_all<NUMBER>(n);
}
