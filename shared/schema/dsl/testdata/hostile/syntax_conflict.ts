//! syntax @2:1 Unexpected "<<"
<<<<<<< HEAD
export default 1;
=======
export default 2;
>>>>>>> other
