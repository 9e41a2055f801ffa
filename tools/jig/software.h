/* The software GPU (tests/softgpu), a driver that executes kernels on the CPU. */
#ifndef JIG_CLI_SOFTWARE_H
#define JIG_CLI_SOFTWARE_H

/* Has the library open the software GPU as its driver, whatever JIG_DRIVER says; to be called before
 * anything needs a driver. Looks in the build folder and where `make install-softgpu` puts it, as seen
 * from the tool's own file, then where it was configured to be. Returns an exit code, and complains if it
 * is not EXIT_OK. */
int software_gpu_use(void);

#endif
