"""TFC4xx: variables and Keras state created or shared in the wrong place."""
