// A program of the iPSC/860: a ring, an exchange, a broadcast and a global sum by NX/2's calls.
#include "../common/nx.h"

enum { RING = 1, EXCHANGE = 2, ALL = 3, LENGTH = 100 };

static void expect(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "nx: node %ld: %s is wrong\n", mynode(), what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void ring(long me, long nodes) {
    double mine = (double)me, got = -1;
    if (me > 0) crecv(RING, &got, sizeof got);
    csend(RING, &mine, sizeof mine, (me + 1) % nodes, 0);
    if (me == 0) crecv(RING, &got, sizeof got);
    long last = (me + nodes - 1) % nodes;
    expect(got == (double)last && infonode() == last, "the ring");
    expect(infocount() == sizeof got && infotype() == RING, "what is known of the message");
}

static void exchange(long me, long nodes) {
    double sent[LENGTH], got[LENGTH];
    long partner = me ^ 1;
    if (partner >= nodes) return;
    for (int i = 0; i < LENGTH; i++) sent[i] = (double)(me * LENGTH + i);
    long receive = irecv(EXCHANGE, got, sizeof got);
    long send = isend(EXCHANGE, sent, sizeof sent, partner, 0);
    msgwait(send);
    msgwait(receive);
    expect(got[LENGTH - 1] == (double)(partner * LENGTH + LENGTH - 1), "the exchange");
}

int main(void) {
    long me = mynode(), nodes = numnodes(), word = 42, got = 0;
    if (nodes > 1) ring(me, nodes);
    exchange(me, nodes);
    if (me == 0) csend(ALL, &word, sizeof word, -1, 0);
    if (me > 0) crecv(ALL, &got, sizeof got);
    expect(me == 0 || got == word, "the broadcast");
    double x[2] = {1.0, (double)me}, work[2];
    gdsum(x, 2, work);
    expect(x[0] == (double)nodes && x[1] == (double)(nodes * (nodes - 1) / 2), "the sum");
    gsync();
    if (me == 0) printf("nx: %ld nodes\n", nodes);
    return 0;
}
