/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls a kernel with an untyped argument list. Follows dialect.h and precedes the kernel text,
 * whose kernels then appear in a generated table of HM_HOST_ROW(name). Of the scheduling, it
 * decides only the loop over the items that one fiber starts.
 */
template <int... I>
struct hm_host_indices {};
template <int N, int... I>
struct hm_host_indices_to : hm_host_indices_to<N - 1, N - 1, I...> {};
template <int... I>
struct hm_host_indices_to<0, I...> {
  using type = hm_host_indices<I...>;
};

template <class T>
struct hm_host_kind; /* a kernel argument is a pointer, int, unsigned or float */
template <class T>
struct hm_host_kind<T*> {
  static constexpr char letter = 'p';
};
template <>
struct hm_host_kind<int> {
  static constexpr char letter = 'i';
};
template <>
struct hm_host_kind<unsigned> {
  static constexpr char letter = 'u';
};
template <>
struct hm_host_kind<float> {
  static constexpr char letter = 'f';
};

/* The name of a kernel that a definition left out of the build resolves to such an object of the
 * outer namespace. */
struct hm_host_absent {};

template <auto kernel>
struct hm_host_stub;
template <const hm_host_absent* name>
struct hm_host_stub<name> {
  static constexpr const char* kinds = nullptr;
  static void drain(hm_host_group*, void* const*) {}
};
template <class... A, void (*kernel)(A...)>
struct hm_host_stub<kernel> {
  static constexpr char kinds[] = {hm_host_kind<A>::letter..., '\0'};
  template <int... I>
  static void run(hm_host_group* group, [[maybe_unused]] void* const* arguments,
                  hm_host_indices<I...>) {
    hm_host_now = group;
    while (group->started < group->item_count) {
      group->item = group->items + group->order[group->started++];
      kernel(*static_cast<A*>(arguments[I])...);
      ++group->finished;
    }
  }
  static void drain(hm_host_group* group, void* const* arguments) {
    run(group, arguments, typename hm_host_indices_to<sizeof...(A)>::type{});
  }
};
#define HM_HOST_ROW(name) {#name, hm_host_stub<&name>::kinds, &hm_host_stub<&name>::drain}
