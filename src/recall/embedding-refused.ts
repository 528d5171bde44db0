/** This text will never get a vector; trying again is of no use. */
export class EmbeddingRefused extends Error {}
