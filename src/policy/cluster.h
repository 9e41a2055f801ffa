/* Clusters of blocks, as policies reckon with them. */
#ifndef JIG_POLICY_CLUSTER_H
#define JIG_POLICY_CLUSTER_H

/* Blocks that a cluster is asked to have at most: more than every GPU with clusters has, where one has
 * them; a loaded kernel tells how many there are (max_cluster). 1: no clusters. */
static inline int most_cluster_blocks(int sm) {
  enum { PORTABLE = 8 };
  if (sm < 90) return 1;
  return sm < 120 ? 2 * PORTABLE : PORTABLE;
}

#endif
