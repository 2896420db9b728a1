// A program without MPI.
#include <stdio.h>

int main(void) {
    double sum = 0;
    for (int i = 1; i <= 1000000; i++)
        sum += 1.0 / i;
    printf("sequential: %.6f\n", sum);
    return sum > 14.392 && sum < 14.393 ? 0 : 1;
}
