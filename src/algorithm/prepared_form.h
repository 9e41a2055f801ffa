/* What a prepared call's graph has that an update cannot change, though the driver does not refuse it. */
#ifndef JIG_ALGORITHM_PREPARED_FORM_H
#define JIG_ALGORITHM_PREPARED_FORM_H

#include <jig/prepared.h>

/* The sizes of clusters in the last graph of jig_prepared_graph(), by program_take_clusters(). */
uint64_t *prepared_clusters(jig_prepared *prepared);

#endif
