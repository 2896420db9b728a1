// Computation of a known length.
#ifndef SPIN_H
#define SPIN_H

// Computes until this thread has used that much of a processor; answers how much it was, in nanoseconds.
long long spin(long long nanoseconds);

#endif
