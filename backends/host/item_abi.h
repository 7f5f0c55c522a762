/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface between a compiled kernel and the host backend. The backend includes this file and
 * compiles the same text at the start of every program, so each structure has one definition.
 *
 * Assumptions:
 *  1. Both sides run in one process and were compiled for one ABI; a program's key covers this
 * text.
 *  2. A work-group runs on one thread from start to end; its items never move to another thread.
 */
#ifndef HALFMARK_BACKENDS_HOST_ITEM_ABI_H
#define HALFMARK_BACKENDS_HOST_ITEM_ABI_H

/* One work-item. The ids are the same in every group, so they are set once per launch. */
struct hm_host_item {
  int lid[3];
  unsigned local_bytes; /* how much of the group's local memory the item has claimed so far */
};

/* The work-group that a thread is running. */
struct hm_host_group {
  int gid[3];
  int lsize[3];
  int ngroups[3];
  struct hm_host_item* item;  /* the item running now */
  struct hm_host_item* items; /* all of them */
  const unsigned* order;      /* the order in which to start them */
  unsigned item_count;
  unsigned started;
  unsigned finished;
  void (*barrier)(struct hm_host_group* group, int line);
  void* (*local_memory)(struct hm_host_group* group, unsigned long bytes);
};

/* One kernel of a program. `drain` starts items until none is left; it returns once per fiber. */
struct hm_host_kernel {
  const char* name;
  const char* kinds; /* per argument: p pointer, i int, u unsigned, f float; null: left out */
  void (*drain)(struct hm_host_group* group, void* const* arguments);
};

/* What a program exports, under the name hm_host_program_v1. */
struct hm_host_program {
  const char* key;
  unsigned kernel_count;
  const struct hm_host_kernel* kernels;
};

#endif
