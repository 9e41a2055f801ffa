/* Graphs: their nodes and what comes after what. */
#include "api/graph.h"

#include <stdlib.h>
#include <string.h>

#include "api/code.h"
#include "api/handle.h"
#include "api/range.h"

/* ---- memory */

/* At once, or as soon as the launch under way is over. */
static void release(const graph_memory *m, allocation *a) {
  task t = {.kind = TASK_FREE, .memory = {.address = a->address}};
  range_note *note = range_note_of(a);
  op *o = NULL;
  pool_forget(a);
  if (m->last != NULL && !op_is_complete(m->last)) o = op_create(&note->owner->work, &t);
  if (o == NULL || !op_after(o, m->last)) {
    memory_release(a);
  } else {
    note->is_freeing = true;
    op_submit(o);
  }
  op_drop(o);
}

static void drop_memory(graph_memory *m) {
  if (m == NULL || --m->references > 0) return;
  for (size_t i = 0; i < m->count; ++i) {
    allocation *a = memory_find(m->addresses[i]);
    if (a != NULL) release(m, a);
  }
  op_drop(m->last);
  free(m->addresses);
  free(m);
}

bool graph_add_memory(CUgraph g, uint64_t address) {
  if (g->memory == NULL) {
    g->memory = calloc(1, sizeof *g->memory);
    if (g->memory == NULL) return false;
    g->memory->references = 1;
  }
  graph_memory *m = g->memory;
  uint64_t *larger = realloc(m->addresses, (m->count + 1) * sizeof *larger);
  if (larger == NULL) return false;
  m->addresses = larger;
  m->addresses[m->count++] = address;
  const allocation *a = memory_find(address);
  range_note *note = a != NULL ? range_note_of(a) : NULL;
  if (note != NULL) note->is_of_graph = true;
  return note != NULL;
}

void graph_use_memory(CUgraph g, op *end) {
  if (g->memory != NULL) {
    op_drop(g->memory->last);
    g->memory->last = op_hold(end);
  }
  for (size_t i = 0; i < g->count; ++i) {
    if (g->nodes[i]->child != NULL) graph_use_memory(g->nodes[i]->child, end);
  }
}

bool graph_owns(uint64_t address) {
  const allocation *a = memory_find(address);
  const range_note *note = a != NULL ? range_note_of(a) : NULL;
  return note != NULL && note->is_of_graph && a->address == address;
}

/* ---- nodes */

CUgraphNode graph_add(CUgraph g, CUgraphNodeType type, task *t) {
  CUgraphNode n = calloc(1, sizeof *n);
  CUgraphNode *larger = n != NULL ? realloc(g->nodes, (g->count + 1) * sizeof *larger) : NULL;
  if (larger != NULL) g->nodes = larger;
  if (larger == NULL || !handle_add(HANDLE_NODE, n)) {
    free(n);
    task_free(t);
    return NULL;
  }
  n->owner = g;
  n->type = type;
  n->what = *t;
  g->nodes[g->count++] = n;
  return n;
}

void graph_refer(CUgraphNode n, CUfunction f) {
  loaded *code = code_hold(f->owner->code);
  code_drop(n->code);
  n->function = f;
  n->code = code;
}

static void free_node(CUgraphNode n) {
  handle_remove(n);
  task_free(&n->what);
  code_drop(n->code);
  if (n->child != NULL) graph_free(n->child);
  free(n->edges);
  free(n);
}

void graph_remove(CUgraphNode n) {
  CUgraph g = n->owner;
  size_t kept = 0;
  for (size_t i = 0; i < g->count; ++i) {
    CUgraphNode other = g->nodes[i];
    if (other != n) g->nodes[kept++] = other;
    size_t edges = 0;
    for (size_t e = 0; e < other->edge_count; ++e) {
      if (other->edges[e].before != n) other->edges[edges++] = other->edges[e];
    }
    other->edge_count = edges;
  }
  g->count = kept;
  free_node(n);
}

bool graph_is_connected(CUgraphNode before, CUgraphNode after) {
  for (size_t i = 0; i < after->edge_count; ++i) {
    if (after->edges[i].before == before) return true;
  }
  return false;
}

bool graph_connect(CUgraphNode before, CUgraphNode after, bool programmatic) {
  if (graph_is_connected(before, after)) return true;
  graph_edge *larger = realloc(after->edges, (after->edge_count + 1) * sizeof *larger);
  if (larger == NULL) return false;
  after->edges = larger;
  after->edges[after->edge_count++] = (graph_edge){.before = before, .programmatic = programmatic};
  return true;
}

/* ---- looking along the edges: once through the nodes, as they are in order, and again only where edges
 * were added by hand */

bool graph_is_before(CUgraphNode before, CUgraphNode after) {
  const CUgraph g = after->owner;
  for (size_t i = 0; i < g->count; ++i) g->nodes[i]->reached = false;
  after->reached = true;
  for (bool more = true; more && !before->reached;) {
    more = false;
    for (size_t i = g->count; i-- > 0;) {
      const CUgraphNode n = g->nodes[i];
      for (size_t e = 0; n->reached && e < n->edge_count; ++e) {
        more |= !n->edges[e].before->reached;
        n->edges[e].before->reached = true;
      }
    }
  }
  return before->reached;
}

bool graph_has_circle(CUgraph g) {
  size_t reached = 0;
  for (size_t i = 0; i < g->count; ++i) g->nodes[i]->reached = false;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < g->count; ++i) {
      const CUgraphNode n = g->nodes[i];
      bool can_be = !n->reached;
      for (size_t e = 0; can_be && e < n->edge_count; ++e) can_be = n->edges[e].before->reached;
      if (!can_be) continue;
      n->reached = more = true;
      ++reached;
    }
  }
  return reached < g->count;
}

/* ---- graphs */

CUgraph graph_create(void) {
  CUgraph g = calloc(1, sizeof *g);
  if (g != NULL && handle_add(HANDLE_GRAPH, g)) return g;
  free(g);
  return NULL;
}

void graph_free(CUgraph g) {
  handle_remove(g);
  for (size_t i = 0; i < g->count; ++i) free_node(g->nodes[i]);
  free(g->nodes);
  drop_memory(g->memory);
  free(g);
}

static bool copy_node(CUgraph to, CUgraphNode n) {
  task what;
  if (!task_clone(&what, &n->what)) return false;
  CUgraphNode c = graph_add(to, n->type, &what);
  if (c == NULL) return false;
  n->copy = c;
  c->original = n;
  c->event = n->event;
  c->function = n->function;
  c->is_disabled = n->is_disabled;
  c->code = n->code != NULL ? code_hold(n->code) : NULL;
  if (n->child == NULL) return true;
  c->child = graph_copy(n->child);
  if (c->child != NULL) c->child->is_child = true;
  return c->child != NULL;
}

CUgraph graph_copy(CUgraph g) {
  CUgraph to = graph_create();
  if (to == NULL) return NULL;
  to->memory = g->memory;
  if (to->memory != NULL) ++to->memory->references;
  bool ok = true;
  for (size_t i = 0; i < g->count && ok; ++i) ok = copy_node(to, g->nodes[i]);
  for (size_t i = 0; i < g->count && ok; ++i) {
    const CUgraphNode n = g->nodes[i];
    for (size_t e = 0; e < n->edge_count && ok; ++e) {
      ok = graph_connect(n->edges[e].before->copy, n->copy, n->edges[e].programmatic);
    }
  }
  if (ok) return to;
  graph_free(to);
  return NULL;
}

/* ---- entry points: graphs */

static CUresult begin(CUgraph g) {
  work_lock();
  CUresult result = api_ready();
  return result == CUDA_SUCCESS ? handle_check(HANDLE_GRAPH, g) : result;
}

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  if (graph == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  work_lock();
  CUresult result = api_ready();
  CUgraph g = result == CUDA_SUCCESS ? graph_create() : NULL;
  if (g != NULL) *graph = g;
  return api_end(result == CUDA_SUCCESS && g == NULL ? CUDA_ERROR_OUT_OF_MEMORY : result);
}

CUresult cuGraphDestroy(CUgraph g) {
  CUresult result = begin(g);
  if (result == CUDA_SUCCESS && g->is_child) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) graph_free(g);
  return api_end(result);
}

CUresult cuGraphClone(CUgraph *clone, CUgraph g) {
  CUresult result = begin(g);
  if (result == CUDA_SUCCESS && clone == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  CUgraph copy = graph_copy(g);
  if (copy != NULL) *clone = copy;
  return api_end(copy != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult cuGraphNodeFindInClone(CUgraphNode *found, CUgraphNode original, CUgraph clone) {
  CUresult result = begin(clone);
  if (result == CUDA_SUCCESS && found == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  for (size_t i = 0; i < clone->count; ++i) {
    if (clone->nodes[i]->original != original) continue;
    *found = clone->nodes[i];
    return api_end(CUDA_SUCCESS);
  }
  return api_end(CUDA_ERROR_INVALID_VALUE);
}

/* ---- entry points: what is in them. Given no array they tell how many there are. */

typedef struct list {
  size_t room, count;
} list;

/* Where the next one goes; SIZE_MAX: nowhere. */
static size_t next_place(list *l) {
  return l->count++ < l->room ? l->count - 1 : SIZE_MAX;
}

static void finish_list(const list *l, bool counting, size_t *count) {
  *count = counting || l->count < l->room ? l->count : l->room;
}

static CUresult list_nodes(CUgraph g, CUgraphNode *nodes, size_t *count, bool roots) {
  CUresult result = begin(g);
  if (result == CUDA_SUCCESS && count == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS) return api_end(result);
  list l = {.room = nodes != NULL ? *count : 0};
  for (size_t i = 0; i < g->count; ++i) {
    if (roots && g->nodes[i]->edge_count > 0) continue;
    const size_t place = next_place(&l);
    if (place != SIZE_MAX) nodes[place] = g->nodes[i];
  }
  finish_list(&l, nodes == NULL, count);
  return api_end(CUDA_SUCCESS);
}

CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *nodes, size_t *count) {
  return list_nodes(g, nodes, count, false);
}

CUresult cuGraphGetRootNodes(CUgraph g, CUgraphNode *nodes, size_t *count) {
  return list_nodes(g, nodes, count, true);
}

static CUgraphEdgeData edge_data(const graph_edge *e) {
  return e->programmatic ? (CUgraphEdgeData){.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC,
                                             .type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC}
                         : (CUgraphEdgeData){0};
}

/* Those between any nodes, or those from or to one. */
static void list_edges(CUgraph g, CUgraphNode only_from, CUgraphNode only_to, CUgraphNode *from,
                       CUgraphNode *to, CUgraphEdgeData *data, size_t *count) {
  const bool counting = from == NULL && to == NULL;
  list l = {.room = counting ? 0 : *count};
  for (size_t i = 0; i < g->count; ++i) {
    CUgraphNode n = g->nodes[i];
    for (size_t e = 0; e < n->edge_count; ++e) {
      if (only_to != NULL && n != only_to) continue;
      if (only_from != NULL && n->edges[e].before != only_from) continue;
      const size_t place = next_place(&l);
      if (place == SIZE_MAX) continue;
      if (from != NULL) from[place] = n->edges[e].before;
      if (to != NULL) to[place] = n;
      if (data != NULL) data[place] = edge_data(&n->edges[e]);
    }
  }
  finish_list(&l, counting, count);
}

CUresult cuGraphGetEdges(CUgraph g, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
                         size_t *count) {
  CUresult result = begin(g);
  if (result == CUDA_SUCCESS && (count == NULL || (from == NULL) != (to == NULL)))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) list_edges(g, NULL, NULL, from, to, data, count);
  return api_end(result);
}

static CUresult begin_node(CUgraphNode n) {
  work_lock();
  CUresult result = api_ready();
  return result == CUDA_SUCCESS ? handle_check(HANDLE_NODE, n) : result;
}

CUresult cuGraphNodeGetDependencies(CUgraphNode n, CUgraphNode *nodes, CUgraphEdgeData *data,
                                    size_t *count) {
  CUresult result = begin_node(n);
  if (result == CUDA_SUCCESS && count == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) list_edges(n->owner, NULL, n, nodes, NULL, data, count);
  return api_end(result);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode n, CUgraphNode *nodes, CUgraphEdgeData *data,
                                      size_t *count) {
  CUresult result = begin_node(n);
  if (result == CUDA_SUCCESS && count == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) list_edges(n->owner, n, NULL, NULL, nodes, data, count);
  return api_end(result);
}

CUresult cuGraphNodeGetType(CUgraphNode n, CUgraphNodeType *type) {
  CUresult result = begin_node(n);
  if (result == CUDA_SUCCESS && type == NULL) result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS) *type = n->type;
  return api_end(result);
}

CUresult cuGraphDestroyNode(CUgraphNode n) {
  CUresult result = begin_node(n);
  if (result == CUDA_SUCCESS) graph_remove(n);
  return api_end(result);
}
