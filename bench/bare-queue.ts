/** The task queue of the bare workflow, apart from the agents'. */
export const BARE_QUEUE = 'bench-bare';
