// Computation of a known duration.
#ifndef SPIN_H
#define SPIN_H

// Computes until this thread has used this CPU time; returns the CPU time used, in nanoseconds.
long long spin(long long nanoseconds);

#endif
