/* Graphs of tasks. With the lock held. */
#ifndef SOFTGPU_API_GRAPH_H
#define SOFTGPU_API_GRAPH_H

#include "api/api.h"

#include <stddef.h>

struct loaded;

/* That `before` has completed; programmatic: or that all of its blocks have let dependents begin. */
typedef struct graph_edge {
  CUgraphNode before;
  bool programmatic;
} graph_edge;

struct CUgraphNode_st {
  CUgraph owner;
  CUgraphNodeType type;
  task what;
  CUevent event;       /* of event nodes */
  CUgraph child;       /* of graph nodes: its own copy */
  CUfunction function; /* of kernel nodes */
  bool is_disabled;
  struct loaded *code; /* a reference, so that the kernel is there when the node is used */
  graph_edge *edges;
  size_t edge_count;
  CUgraphNode copy; /* while the graph is copied */
  CUgraphNode original;
  bool reached;     /* while nodes are looked for in their order */
  op *first, *last; /* while the graph is launched: the same one, but for child graphs */
};

/* Memory that nodes allocate; shared by a graph and its copies. */
typedef struct graph_memory {
  unsigned references;
  uint64_t *addresses;
  size_t count;
  op *last; /* the end of the latest launch, until which it lives */
} graph_memory;

struct CUgraph_st {
  CUgraphNode *nodes; /* every node after those that it comes after, unless edges were added by hand */
  size_t count;
  graph_memory *memory; /* NULL: none */
  bool is_child;
};

struct CUgraphExec_st {
  CUgraph graph; /* its own copy */
  context *owner;
  op *last; /* the end of the latest launch */
  unsigned long long flags;
};

CUgraph graph_create(void);
void graph_free(CUgraph g);
CUgraph graph_copy(CUgraph g);
/* Takes over the task's contents, also on failure; NULL: no memory. */
CUgraphNode graph_add(CUgraph g, CUgraphNodeType type, task *t);
void graph_remove(CUgraphNode n);
bool graph_is_connected(CUgraphNode before, CUgraphNode after);
bool graph_connect(CUgraphNode before, CUgraphNode after, bool programmatic);
/* Makes it a kernel node of the function's, which keeps the code. */
void graph_refer(CUgraphNode n, CUfunction f);
bool graph_add_memory(CUgraph g, uint64_t address);
/* Keeps the graph's memory until the operation has completed. */
void graph_use_memory(CUgraph g, op *end);
/* Whether it is some graph's memory, which is not freed by its address. */
bool graph_owns(uint64_t address);
/* Whether `after` comes after `before`, or is it. */
bool graph_is_before(CUgraphNode before, CUgraphNode after);
/* Whether some node comes after itself. */
bool graph_has_circle(CUgraph g);

#endif
