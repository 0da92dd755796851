package registry

// sparseOwn are the methods of Cotter 2013, chapter 3.
var sparseOwn []sparseEntry
