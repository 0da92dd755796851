// Package datasets finds, verifies, reads, generates, prepares and splits the
// data of the experiments.
//
// Open turns a Ref (what a spec says of a dataset) into Data: a Table of rows, or a Distribution
// to sample from. A Ref names a source, which is either an entry of the embedded manifest (List,
// Info) or a generator, or it names a file of the user's own in LIBSVM, CSV or IDX format, plain,
// gzip or bzip2.
//
// The files of a manifest entry are looked for in the cache folder, then in the mirror, then at
// their canonical addresses; nothing is used before its SHA-256 has been checked. A stand-in, a
// synthetic table of the same shape, is made only when Options allow it, and says so. An entry
// without files is of data that are not distributed freely, and has a stand-in only.
package datasets
